package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/internal/cluster"
	controller "github.com/naosu-dev/naosu/internal/controller/zonecoverage"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/lab/cloud"
	lab "github.com/naosu-dev/naosu/lab/cloud/aws"
	"github.com/naosu-dev/naosu/lab/pace"
)

// coverage is a controller that covers zones, with AWS over the wire. A pod waits, whose volume is in us-east-1c.
type coverage struct {
	fixture
	clock  *clocktesting.FakeClock
	api    client.WithWatch
	writes client.Client
	// write is called before each write of the controller, and after once it is done; an error kills the controller.
	write, after func() error
	// elsewhere is the zone that each new instance is shown in instead of its own; hidden says that no new node registers.
	elsewhere string
	hidden    bool
	extra     []runtime.Object
	// first are the instances of the start, and seen when each was first shown as a node.
	first map[string]bool
	seen  map[string]time.Time
	leads bool
	// options are how the provider is told of the cluster.
	options provider.Options
}

func newCoverage(t *testing.T, groups ...cloud.GroupSpec) *coverage {
	t.Helper()
	return newCoverageAs(t, lab.Key{}, groups...)
}

// newCoverageAs has what the owner of a key may do.
func newCoverageAs(t *testing.T, key lab.Key, groups ...cloud.GroupSpec) *coverage {
	t.Helper()
	key.ID, key.Secret = operator, secret
	clock := clocktesting.NewFakeClock(time.Now().Truncate(time.Second))
	fast := pace.New(100_000)
	c, err := cloud.New(cloud.Options{InstantStart: true, Pace: fast, Spec: cloud.Spec{Groups: groups}})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := lab.Listen(t.Context(), lab.Options{Cloud: c, ClusterName: "shop", Pace: fast, Keys: []lab.Key{key}})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, endpoint)
	point(t, endpoint)
	go func() { _ = c.Run(t.Context()) }()
	f := &coverage{fixture: fixture{t: t, cloud: c, server: endpoint.Server}, clock: clock, first: map[string]bool{}, seen: map[string]time.Time{}, leads: true, options: provider.Options{Cluster: "shop"}}
	for _, i := range c.Instances() {
		f.first[i.ID] = true
	}
	scheme := runtime.NewScheme()
	f.must(errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)))
	policy := &v1alpha1.HeadroomPolicy{ObjectMeta: metav1.ObjectMeta{Name: "zones", UID: "u", Generation: 1}, Spec: v1alpha1.HeadroomPolicySpec{Mode: v1alpha1.ModeAuto, ZoneCoverage: &v1alpha1.HeadroomZoneCoverage{}}}
	f.api = fake.NewClientBuilder().WithScheme(scheme).WithObjects(policy).WithStatusSubresource(policy, &v1alpha1.Remediation{}).Build()
	call := func(what *func() error) error {
		if *what == nil {
			return nil
		}
		return (*what)()
	}
	f.writes = interceptor.NewClient(f.api, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			o.SetUID(types.UID("uid-" + o.GetName()))
			o.SetCreationTimestamp(metav1.NewTime(f.clock.Now()))
			if err := call(&f.write); err != nil {
				return err
			}
			return errors.Join(c.Create(ctx, o, opts...), call(&f.after))
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := call(&f.write); err != nil {
				return err
			}
			return errors.Join(c.SubResource(sub).Patch(ctx, o, patch, opts...), call(&f.after))
		},
	})
	return f
}

// general is a group that spans three zones, with a node in two.
func general() cloud.GroupSpec {
	return cloud.GroupSpec{Name: "general", InstanceType: "m5.large", Min: 2, Desired: 2, Max: 6, ZoneOrder: []string{"us-east-1a", "us-east-1b", "us-east-1c"}}
}

// waiting is a pod whose volume is in us-east-1c, with what it requests.
func waiting(name string, requests corev1.ResourceList) []runtime.Object {
	volumes := []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}}
	return []runtime.Object{
		&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeSpec{
			ClaimRef: &corev1.ObjectReference{Namespace: "shop", Name: name}, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"us-east-1c"},
			}}}}}},
		}, Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound}},
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
			Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: name, StorageClassName: new("gp3")}, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound},
		},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)}, Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: requests}}}, Volumes: volumes,
		}, Status: corev1.PodStatus{Phase: corev1.PodPending}},
	}
}

// world has a node for each instance, and a pod whose volume is in us-east-1c: it waits for a node there.
func (f *coverage) world() *cluster.Snapshot {
	objects := slices.Concat(waiting("redis", nil), []runtime.Object{
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "gp3"}, Provisioner: "ebs.csi.aws.com"},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
	}, f.extra)
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("29")}
	for _, i := range f.cloud.Instances() {
		zone, isNew := i.Zone, !f.first[i.ID]
		if isNew && f.hidden || i.State != cloud.Running {
			continue
		}
		if isNew && f.elsewhere != "" {
			zone = f.elsewhere
		}
		if f.seen[i.ID].IsZero() {
			f.seen[i.ID] = f.clock.Now()
		}
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: i.ID, UID: types.UID(i.ID), Labels: map[string]string{corev1.LabelTopologyZone: zone, corev1.LabelHostname: i.ID}, CreationTimestamp: metav1.NewTime(f.seen[i.ID])},
			Spec:       corev1.NodeSpec{ProviderID: "aws:///" + i.Zone + "/" + i.ID},
			Status:     corev1.NodeStatus{Capacity: room, Allocatable: room, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		}
		if g := f.cloud.Groups()[0]; !g.Foreign {
			node.Labels["eks.amazonaws.com/nodegroup"] = g.Name
		}
		objects = append(objects, node)
	}
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return cluster.New(cluster.Contents{Taken: f.clock.Now(), Objects: objects, Knowledge: known})
}

// controller is one that takes over.
func (f *coverage) controller() *controller.Reconciler {
	p := f.provider(f.options)
	return &controller.Reconciler{
		Snapshot: f.world, FindSizer: func() naosu.NodeGroupSizer { return p }, Client: f.writes, Reader: f.writes,
		Records: &record.Records{Client: f.writes, Reader: f.writes, Clock: f.clock}, Clock: f.clock,
		Leading: func(context.Context) (bool, error) { return f.leads, nil },
		ClusterFacts: func(context.Context, *cluster.Snapshot) guard.Facts {
			now := f.clock.Now()
			return guard.Facts{Now: now, Leading: guard.Known(f.leads, now), APIServer: guard.Known(guard.APIServer{Ready: true, Leases: 2}, now)}
		},
	}
}

// pass reconciles again and again for a time, and takes over with another controller after each error.
func (f *coverage) pass(d time.Duration) {
	f.t.Helper()
	c := f.controller()
	for end := f.clock.Now().Add(d); f.clock.Now().Before(end); {
		again, err := c.Reconcile(f.t.Context())
		if err != nil {
			c, again = f.controller(), time.Second
		}
		f.clock.Step(max(again, time.Second))
	}
}

func (f *coverage) policy() *v1alpha1.HeadroomPolicy {
	f.t.Helper()
	p := &v1alpha1.HeadroomPolicy{}
	f.must(f.api.Get(f.t.Context(), client.ObjectKey{Name: "zones"}, p))
	return p
}

// edit changes the spec of the policy, as a person does.
func (f *coverage) edit(change func(*v1alpha1.HeadroomPolicySpec)) {
	f.t.Helper()
	p := f.policy()
	change(&p.Spec)
	p.Generation++
	f.must(f.api.Update(f.t.Context(), p))
}

// zone is the reason and the message that the status has for us-east-1c.
func (f *coverage) zone() (reason, says string) {
	for _, z := range f.policy().Status.Zones {
		if z.Name == "us-east-1c" {
			return z.Reason, z.Message
		}
	}
	return "", ""
}

// ends are the outcomes of the Remediations.
func (f *coverage) ends() (all []string) {
	f.t.Helper()
	var list v1alpha1.RemediationList
	f.must(f.api.List(f.t.Context(), &list))
	for _, r := range list.Items {
		end := string(r.Status.Phase)
		if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); c != nil {
			end = c.Reason + ": " + c.Message
		}
		all = append(all, end)
	}
	return all
}

// resizes counts the requests that were carried out.
func (f *coverage) resizes() int {
	n := 0
	for _, c := range f.server.Calls() {
		if (c.Action == "UpdateNodegroupConfig" || c.Action == "UpdateAutoScalingGroup") && c.Code == "" {
			n++
		}
	}
	return n
}

// TestZoneCovered: a managed node group, and an Auto Scaling group of none, get a node in the zone by one resize.
func TestZoneCovered(t *testing.T) {
	foreign := general()
	foreign.Foreign = true
	for name, spec := range map[string]cloud.GroupSpec{"managed": general(), "of no managed node group": foreign} {
		f := newCoverage(t, spec)
		f.pass(10 * time.Minute)
		reason, _ := f.zone()
		if ends := f.ends(); len(ends) != 1 || !strings.HasPrefix(ends[0], "AsForecast") || reason != v1alpha1.ZonesCoveredReason || f.sizes("general") != [3]int{3, 3, 6} || f.resizes() != 1 {
			t.Errorf("%s: %q, %s, %v", name, ends, reason, f.sizes("general"))
		}
	}
}

// TestZoneTwoNodes: pods that need two nodes in the zone get them by one resize, if the policy allows as many.
func TestZoneTwoNodes(t *testing.T) {
	for most, want := range map[int32]struct {
		reason  string
		sizes   [3]int
		resizes int
	}{3: {v1alpha1.ZoneMaximumReachedReason, [3]int{2, 2, 6}, 0}, 4: {v1alpha1.ZonesCoveredReason, [3]int{6, 6, 6}, 1}} {
		f := newCoverage(t, general())
		large := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1500m")} // of a node's 2
		f.extra = slices.Concat(waiting("db-0", large), waiting("db-1", large))
		f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.ZoneCoverage.MaxAddedNodes = &most })
		f.pass(30 * time.Minute)
		reason, says := f.zone()
		if reason != want.reason || f.sizes("general") != want.sizes || f.resizes() != want.resizes {
			t.Errorf("with maxAddedNodes %d: %s: %s; %v after %d resizes, %q", most, reason, says, f.sizes("general"), f.resizes(), f.ends())
		}
	}
}

// TestZoneKilled kills the controller before and after each of its writes: another goes on, and the group has the same size in the end.
func TestZoneKilled(t *testing.T) {
	killed := errors.New("killed")
	for kill := 1; kill <= 8; kill++ {
		for _, before := range []bool{true, false} {
			f := newCoverage(t, general())
			n := 0
			die := func() error {
				if n++; n == kill {
					return killed
				}
				return nil
			}
			if before {
				f.write = die
			} else {
				f.after = die
			}
			f.pass(20 * time.Minute)
			reason, _ := f.zone()
			if ends := f.ends(); len(ends) != 1 || !strings.HasPrefix(ends[0], "AsForecast") || reason != v1alpha1.ZonesCoveredReason || f.sizes("general") != [3]int{3, 3, 6} || f.resizes() != 1 || n < kill {
				t.Errorf("killed at write %d (before: %t) of %d: %q, %s, %v after %d resizes", kill, before, n, ends, reason, f.sizes("general"), f.resizes())
			}
		}
	}
}

// TestZoneNotResized names why a group is not resized, and that nothing was changed.
func TestZoneNotResized(t *testing.T) {
	atMax := general()
	atMax.Max = 2
	autoscaler := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ca"}, Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Image: "registry.k8s.io/autoscaling/cluster-autoscaler:v1.34.0"}},
	}}}}
	denied := func(call string) func(*coverage) {
		return func(f *coverage) {
			f.server.Script(call, 1000, &cloud.Error{Code: "AccessDeniedException", Message: "not authorized"})
		}
	}
	for name, tc := range map[string]struct {
		group  cloud.GroupSpec
		edit   func(*coverage)
		reason string
		says   string
	}{
		"at its maximum":        {atMax, func(*coverage) {}, v1alpha1.ZoneMaximumReachedReason, "maximum is 2"},
		"an autoscaler":         {general(), func(f *coverage) { f.extra = append(f.extra, autoscaler) }, v1alpha1.ZoneAutoscalerReason, "for each zone"},
		"paused":                {general(), func(f *coverage) { f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.Paused = true }) }, v1alpha1.PolicyPausedReason, ""},
		"mode Report":           {general(), func(f *coverage) { f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.Mode = v1alpha1.ModeReport }) }, v1alpha1.ZoneReportOnlyReason, "from 2 to 3"},
		"the group is unread":   {general(), denied("eks:DescribeNodegroup"), v1alpha1.ZoneUnreadReason, "eks:DescribeNodegroup"},
		"the sizes are unread":  {general(), denied("autoscaling:DescribeAutoScalingGroups"), v1alpha1.ZoneUnreadReason, "autoscaling:DescribeAutoScalingGroups"},
		"the resize is refused": {general(), denied("eks:UpdateNodegroupConfig"), v1alpha1.PolicyNotPermittedReason, "eks:UpdateNodegroupConfig"},
	} {
		f := newCoverage(t, tc.group)
		tc.edit(f)
		f.pass(10 * time.Minute)
		if reason, says := f.zone(); reason != tc.reason || !strings.Contains(says, tc.says) || f.sizes("general") != [3]int{2, 2, tc.group.Max} {
			t.Errorf("%s: %s: %s; %v %q", name, reason, says, f.sizes("general"), f.ends())
		}
	}
}

// TestZoneResizeFails: a resize that does not cover the zone is not repeated until a person changes the policy.
func TestZoneResizeFails(t *testing.T) {
	for name, tc := range map[string]struct {
		edit   func(*coverage)
		reason string
	}{
		"the node lands elsewhere": {func(f *coverage) { f.elsewhere = "us-east-1a" }, "NotAsForecast"},
		"no node registers":        {func(f *coverage) { f.hidden = true }, "DidNotHelp"},
		"the update fails":         {func(f *coverage) { f.server.FailNextResize("Ec2SubnetNotFound", "The subnet is gone.") }, "DidNotHelp"},
	} {
		f := newCoverage(t, general())
		tc.edit(f)
		f.pass(2 * time.Hour)
		reason, says := f.zone()
		if ends := f.ends(); len(ends) != 1 || !strings.HasPrefix(ends[0], tc.reason) || reason != v1alpha1.ZoneResizeFailedReason || !strings.Contains(says, "until the policy is changed") || f.resizes() != 1 {
			t.Errorf("%s: %q, %s: %s", name, ends, reason, says)
		}
	}
	f := newCoverage(t, general())
	f.server.FailNextResize("Ec2SubnetNotFound", "The subnet is gone.")
	f.pass(time.Hour)
	f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.ZoneCoverage.MaxAddedNodes = new(int32(2)) })
	f.pass(time.Hour)
	if reason, _ := f.zone(); reason != v1alpha1.ZonesCoveredReason || f.resizes() != 2 {
		t.Errorf("after the policy was changed: %s, %q", reason, f.ends())
	}
}

// TestZoneRaces: the size is read again right before the request. Somebody else's resize is neither repeated nor undone.
func TestZoneRaces(t *testing.T) {
	for to, want := range map[int]string{3: "AsForecast", 5: "AsForecast", 1: "NotNeeded"} {
		f := newCoverage(t, general())
		f.after = func() error {
			if ends := f.ends(); len(ends) == 1 && ends[0] == string(v1alpha1.PhaseRunning) && f.resizes() == 0 && f.sizes("general")[1] == 2 {
				f.must(f.cloud.SetSize("general", min(to, 2), to, 6))
			}
			return nil
		}
		f.pass(3 * time.Minute)
		if ends := f.ends(); !strings.Contains(fmt.Sprint(ends), want) || f.sizes("general")[1] < to || to > 2 && (len(ends) != 1 || f.resizes() > 0) {
			t.Errorf("resized to %d meanwhile: %q, %v", to, ends, f.sizes("general"))
		}
	}
}

// TestZonePolicyGone: a policy that is gone, or is changed to Report, begins nothing more; a controller that does not lead changes nothing.
func TestZonePolicyGone(t *testing.T) {
	f := newCoverage(t, general())
	f.leads = false
	f.pass(5 * time.Minute)
	if len(f.ends()) > 0 || f.resizes() > 0 {
		t.Errorf("not leading: %q", f.ends())
	}
	f.leads = true
	f.edit(func(s *v1alpha1.HeadroomPolicySpec) { s.ZoneCoverage, s.Survive.Nodes = nil, 1 })
	f.pass(5 * time.Minute)
	if p := f.policy(); len(f.ends()) > 0 || len(p.Status.Zones) > 0 || meta.FindStatusCondition(p.Status.Conditions, v1alpha1.ZonesCovered) != nil {
		t.Errorf("without zoneCoverage: %q %+v", f.ends(), p.Status)
	}
}
