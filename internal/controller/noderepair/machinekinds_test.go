package noderepair

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// iam is a cloud whose answer depends on the machine.
type iam struct {
	machines
	refuses func(cloud.Machine) bool
	silent  bool
	about   []string // the nodes it was asked about
}

func (p *iam) May(_ context.Context, _ v1alpha1.Action, m cloud.Machine) (cloud.Permission, error) {
	p.about = append(p.about, m.Node)
	switch {
	case p.silent:
		return cloud.Permission{}, errors.New("no answer in time")
	case p.refuses != nil && p.refuses(m):
		return cloud.Permission{May: v1alpha1.MayNo, Why: sentence.CloudRefused("RebootInstances", "UnauthorizedOperation")}, nil
	}
	return cloud.Permission{May: v1alpha1.MayYes, Why: sentence.CloudDryRunPassed("RebootInstances")}, nil
}

const nodegroup = "eks.amazonaws.com/nodegroup"

// grouped are nodes of a group, or of none, with labels of their own.
func grouped(group string, n int, labels map[string]string) []runtime.Object {
	var all []runtime.Object
	for i := range n {
		one := node(fmt.Sprintf("%s-%03d", strings.Trim(group+"-"+labels[corev1.LabelInstanceTypeStable], "-"), i), "1a")
		delete(one.Labels, nodegroup)
		if group != "" {
			one.Labels[nodegroup] = group
		}
		maps.Copy(one.Labels, labels)
		all = append(all, one)
	}
	return all
}

func refuses(group string) func(cloud.Machine) bool {
	return func(m cloud.Machine) bool { return m.Labels[nodegroup] == group }
}

// What IAM lets through depends on tags, and tags come with the group: whichever machine is the first of fifty, the group that is
// refused is found.
func TestPermissionIsAskedOfEachKind(t *testing.T) {
	spot := func(label string) map[string]string {
		return map[string]string{label: "spot", corev1.LabelInstanceTypeStable: "spot"}
	}
	fifty := slices.Concat(grouped("api", 30, nil), grouped("batch", 10, nil), grouped("web", 10, nil))
	for name, tc := range map[string]struct {
		nodes   []runtime.Object
		refuses func(cloud.Machine) bool
		asked   int
		may     v1alpha1.May
		says    string
		groups  string
	}{
		"fifty of one group":     {grouped("api", 50, nil), nil, 1, v1alpha1.MayYes, "was permitted", "api=Yes"},
		"fifty of one, refused":  {grouped("api", 50, nil), refuses("api"), 1, v1alpha1.MayNo, "UnauthorizedOperation", "api=No"},
		"three groups":           {fifty, nil, 3, v1alpha1.MayYes, "was permitted", "api=Yes batch=Yes web=Yes"},
		"the first is refused":   {fifty, refuses("api"), 3, v1alpha1.MayNo, "For group/api: ", "api=No batch=Yes web=Yes"},
		"one between is refused": {fifty, refuses("batch"), 3, v1alpha1.MayNo, "For group/batch: ", "api=Yes batch=No web=Yes"},
		"the last is refused":    {fifty, refuses("web"), 3, v1alpha1.MayNo, "For group/web: ", "api=Yes batch=Yes web=No"},
		"instances on the spot":  {append(grouped("api", 20, nil), grouped("api", 1, spot("eks.amazonaws.com/capacityType"))...), func(m cloud.Machine) bool { return m.Labels["eks.amazonaws.com/capacityType"] == "spot" }, 2, v1alpha1.MayNo, "UnauthorizedOperation", "api=No"},
		"of no group, two types": {append(grouped("", 20, nil), grouped("", 1, map[string]string{corev1.LabelInstanceTypeStable: "p5"})...), func(m cloud.Machine) bool { return m.Labels[corev1.LabelInstanceTypeStable] == "p5" }, 2, v1alpha1.MayNo, "UnauthorizedOperation", "=No"},
		"some are of no group":   {append(grouped("api", 5, nil), grouped("", 1, nil)...), func(m cloud.Machine) bool { return m.Labels[nodegroup] == "" }, 2, v1alpha1.MayNo, "For machines of an unknown group: ", "=No api=Yes"},
		"types within one group": {append(grouped("api", 5, nil), grouped("api", 5, map[string]string{corev1.LabelInstanceTypeStable: "m7"})...), nil, 1, v1alpha1.MayYes, "was permitted", "api=Yes"},
		"every group is refused": {fifty, func(cloud.Machine) bool { return true }, 3, v1alpha1.MayNo, "RebootInstances", "api=No batch=No web=No"},
	} {
		t.Run(name, func(t *testing.T) {
			provider := &iam{refuses: tc.refuses}
			p := policy(v1alpha1.ModeAuto)
			b := newBench(t, provider, append(tc.nodes, &p)...)
			b.plan(t)
			got := b.status(t).Permissions
			if len(got) != 1 || got[0].May != tc.may || !strings.Contains(got[0].Message, tc.says) || strings.HasPrefix(tc.says, "For ") != strings.HasPrefix(got[0].Message, "For ") {
				t.Errorf("got %+v, want %s: …%s…", got, tc.may, tc.says)
			}
			var groups []string
			for _, g := range got[0].Groups {
				groups = append(groups, g.Name+"="+string(g.May))
			}
			if diff := cmp.Diff(tc.groups, strings.Join(groups, " ")); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if len(provider.about) != tc.asked {
				t.Errorf("asked about %d machines %v, want %d", len(provider.about), provider.about, tc.asked)
			}
			ready := meta.FindStatusCondition(b.status(t).Conditions, v1alpha1.PolicyReady)
			if refused := tc.may == v1alpha1.MayNo; (ready.Reason == v1alpha1.PolicyNoActuatorReason) != refused {
				t.Errorf("Ready is %+v", ready)
			}
		})
	}
}

// A cloud that counts requests is asked about a bounded number, each group before any group's second kind, and what was not asked
// about is not taken to be let through.
func TestPermissionIsBounded(t *testing.T) {
	var nodes []runtime.Object
	for i := range 70 {
		nodes = append(nodes, grouped(fmt.Sprintf("g%02d", i), 2, nil)...)
	}
	provider := &iam{refuses: refuses("g69")}
	p := policy(v1alpha1.ModeAuto)
	b := newBench(t, provider, append(nodes, &p)...)
	b.plan(t)
	got := b.status(t).Permissions[0]
	if len(provider.about) != maxAsked || got.May != v1alpha1.MayUnknown || len(got.Groups) != maxGroups {
		t.Fatalf("asked about %d, %s: %s, %d groups", len(provider.about), got.May, got.Message, len(got.Groups))
	}
	for i, g := range got.Groups {
		want := v1alpha1.MayYes
		if i >= maxAsked {
			want = v1alpha1.MayUnknown
		}
		if g.May != want || i >= maxAsked && !strings.Contains(g.Message, "20 of 70 kinds") {
			t.Errorf("%s is %s: %s", g.Name, g.May, g.Message)
		}
	}
	b.clock.SetTime(now.Add(time.Minute))
	b.plan(t)
	if len(provider.about) != maxAsked {
		t.Error("it is asked again within ten minutes")
	}
}

func TestEachGroupComesBeforeASecondKind(t *testing.T) {
	var nodes []*corev1.Node
	for _, o := range slices.Concat(grouped("a", 1, nil), grouped("a", 1, map[string]string{"karpenter.sh/capacity-type": "spot"}), grouped("b", 1, nil)) {
		nodes = append(nodes, o.(*corev1.Node))
	}
	var order []string
	for _, kind := range kindsOf(nodes) {
		order = append(order, kind.group)
	}
	if got := strings.Join(order, " "); got != "a b a" {
		t.Errorf("asked in the order %s", got)
	}
}

// Who does not answer is asked once, and not for each kind: a pass would stand still.
func TestSilentCloudIsAskedOnce(t *testing.T) {
	provider := &iam{silent: true}
	p := policy(v1alpha1.ModeAuto)
	b := newBench(t, provider, append(slices.Concat(grouped("a", 2, nil), grouped("b", 2, nil), grouped("c", 2, nil)), &p)...)
	b.plan(t)
	got := b.status(t).Permissions[0]
	if len(provider.about) != 1 || got.May != v1alpha1.MayUnknown || len(got.Groups) != 3 || got.Groups[2].May != v1alpha1.MayUnknown {
		t.Errorf("asked about %v: %+v", provider.about, got)
	}
}

// A group that is new is asked about at once, and so are all after a controller that asked about one machine of all.
func TestNewGroupIsAskedAbout(t *testing.T) {
	provider := &iam{refuses: refuses("new")}
	p := policy(v1alpha1.ModeAuto)
	p.Status.Permissions = []v1alpha1.Permission{{Action: v1alpha1.ActionReboot, Actuator: "aws", May: v1alpha1.MayYes, Message: "one of all", At: ago(time.Minute)}}
	b := newBench(t, provider, append(grouped("old", 2, nil), &p)...)
	b.plan(t)
	if len(provider.about) != 1 {
		t.Errorf("asked about %v after an older controller", provider.about)
	}
	world := worldOf(append(grouped("old", 2, nil), grouped("new", 1, nil)...)...)
	b.World = func() *cluster.Snapshot { return world }
	b.plan(t)
	if got := b.status(t).Permissions[0]; len(provider.about) != 3 || got.May != v1alpha1.MayNo {
		t.Errorf("asked about %v: %+v", provider.about, got)
	}
}
