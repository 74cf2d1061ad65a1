package karpenter

import (
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object"
	"github.com/naosu-dev/naosu/internal/cloud/object/objecttest"
	"github.com/naosu-dev/naosu/internal/message"
)

var kinds = []schema.GroupVersionKind{nodeClaim.WithVersion("v1")}

const (
	struck = `
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: general-x7f2, uid: uid-struck}
status: {nodeName: ip-10-0-1-7.ec2.internal, providerID: "aws:///us-east-1a/i-0123456789abcdef0"}`
	other = `
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: general-other, uid: uid-other}
status: {nodeName: ip-10-0-1-7.ec2.internal, providerID: "aws:///us-east-1a/i-0fedcba9876543210"}`
	going = `
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: general-x7f2, uid: uid-struck, deletionTimestamp: "2026-11-02T09:00:00Z", finalizers: [karpenter.sh/termination]}
status: {nodeName: ip-10-0-1-7.ec2.internal, providerID: "aws:///us-east-1a/i-0123456789abcdef0"}`
)

var machine = cloud.Machine{
	Node: "ip-10-0-1-7.ec2.internal", ProviderID: "aws:///us-east-1a/i-0123456789abcdef0",
	Labels: map[string]string{"karpenter.sh/nodepool": "general", "karpenter.sh/registered": "true"},
}

func TestReplace(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "nodeclaims"}, "general-x7f2", errors.New("changed"))
	changed := map[string]error{"delete NodeClaim": conflict}
	silent := map[string]error{"delete NodeClaim": errors.New("connection reset by peer")}
	no := apierrors.NewForbidden(schema.GroupResource{Resource: "nodeclaims"}, "general-x7f2", errors.New("no"))
	forbidden := map[string]error{"delete NodeClaim": no}
	for name, tc := range map[string]struct {
		options objecttest.Options
		left    []string
		id      string
		is      error
	}{
		"the machine's own claim": {objecttest.Options{Kinds: kinds, Manifests: []string{struck, other}}, []string{"general-other"}, "uid-struck", nil},
		"already going":           {objecttest.Options{Kinds: kinds, Manifests: []string{going}}, []string{"general-x7f2"}, "uid-struck", nil},
		"already gone":            {objecttest.Options{Kinds: kinds, Manifests: []string{other}}, []string{"general-other"}, "", nil},
		"not installed":           {objecttest.Options{}, nil, "", nil},
		"no answer":               {objecttest.Options{Kinds: kinds, Manifests: []string{struck}, Faults: silent}, []string{"general-x7f2"}, "", cloud.ErrUnsure},
		"not permitted":           {objecttest.Options{Kinds: kinds, Manifests: []string{struck}, Faults: forbidden}, []string{"general-x7f2"}, "", no},
		"changed meanwhile":       {objecttest.Options{Kinds: kinds, Manifests: []string{struck}, Faults: changed}, []string{"general-x7f2"}, "", cloud.ErrPassing},
	} {
		t.Run(name, func(t *testing.T) {
			c := objecttest.New(t, tc.options)
			done, err := New(c).Replace(t.Context(), machine)
			if !errors.Is(err, tc.is) || done.ID != tc.id {
				t.Errorf("operation %q, error %v; want %q, %v", done.ID, err, tc.id, tc.is)
			}
			claims, err := object.List(t.Context(), c, nodeClaim)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, claim := range claims {
				left = append(left, claim.GetName())
			}
			if !slices.Equal(left, tc.left) {
				t.Errorf("claims left: %v, want %v", left, tc.left)
			}
		})
	}
}

func TestMay(t *testing.T) {
	for may, allowed := range map[v1alpha1.May][]string{v1alpha1.MayYes: {"delete nodeclaims.karpenter.sh"}, v1alpha1.MayNo: {"list nodeclaims.karpenter.sh"}} {
		p := New(objecttest.New(t, objecttest.Options{Kinds: kinds, Allowed: allowed}))
		if got, err := p.May(t.Context(), v1alpha1.ActionReplace, machine); err != nil || got.May != may {
			t.Errorf("allowed %v: %+v, %v; want %s", allowed, got, err, may)
		}
		if _, err := p.May(t.Context(), v1alpha1.ActionReboot, machine); !errors.Is(err, cloud.ErrNotOffered) {
			t.Errorf("a reboot: %v, want ErrNotOffered", err)
		}
	}
}

func TestOwns(t *testing.T) {
	p := New(nil)
	for label, want := range map[string]bool{"karpenter.sh/nodepool": true, "karpenter.sh/registered": true, "eks.amazonaws.com/nodegroup": false} {
		if got := p.Owns(cloud.Machine{Labels: map[string]string{label: "true"}}); got != want {
			t.Errorf("owns a node labelled %s: %t, want %t", label, got, want)
		}
	}
}

// with is a cluster in which Karpenter's container has a part.
func with(part string) objecttest.Options {
	return objecttest.Options{Manifests: []string{`
apiVersion: apps/v1
kind: Deployment
metadata: {name: karpenter, namespace: kube-system, labels: {app.kubernetes.io/name: karpenter}}
spec: {template: {spec: {containers: [{name: controller, ` + part + `}]}}}`}}
}

func TestRepairers(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "apps", Resource: "deployments"}, "", errors.New("no"))
	for name, tc := range map[string]struct {
		options objecttest.Options
		machine cloud.Machine
		repairs bool
		unknown message.ID
		is      error
	}{
		"by variable":            {options: with(`env: [{name: FEATURE_GATES, value: "NodeRepair=true,SpotToSpotConsolidation=false"}]`), repairs: true},
		"by flag":                {options: with(`args: ["--feature-gates=NodeRepair=true"]`), repairs: true},
		"by flag in two words":   {options: with(`args: ["--feature-gates", "StaticCapacity=true,NodeRepair=true"]`), repairs: true},
		"the flag wins":          {options: with(`env: [{name: FEATURE_GATES, value: "NodeRepair=true"}], args: ["--feature-gates=StaticCapacity=true"]`)},
		"switched off":           {options: with(`env: [{name: FEATURE_GATES, value: "NodeRepair=false"}]`)},
		"another gate":           {options: with(`env: [{name: FEATURE_GATES, value: "NodeRepairs=true"}]`)},
		"nothing said":           {options: with(`image: karpenter`)},
		"said elsewhere":         {options: with(`env: [{name: FEATURE_GATES, valueFrom: {configMapKeyRef: {name: c, key: k}}}]`), repairs: true, unknown: message.CloudUnread},
		"not found":              {options: objecttest.Options{}, repairs: true, unknown: message.CloudNoKarpenter},
		"not permitted":          {options: objecttest.Options{Faults: map[string]error{"list ": forbidden}}, repairs: true, unknown: message.CloudUnread},
		"too many requests":      {options: objecttest.Options{Faults: map[string]error{"list ": apierrors.NewTooManyRequestsError("busy")}}, is: cloud.ErrPassing},
		"Auto Mode is EKS's":     {options: with(`args: ["--feature-gates=NodeRepair=true"]`), machine: cloud.Machine{Labels: map[string]string{labelPool: "a", labelCompute: "auto"}}},
		"somebody else's node":   {options: with(`args: ["--feature-gates=NodeRepair=true"]`), machine: cloud.Machine{Labels: map[string]string{"a": "b"}}},
		"another cloud's policy": {options: with(`args: ["--feature-gates=NodeRepair=true"]`), machine: cloud.Machine{Node: "aks-1", ProviderID: "azure:///1", Labels: map[string]string{labelPool: "a"}}, repairs: true, unknown: message.CloudNoRules},
	} {
		t.Run(name, func(t *testing.T) {
			of := machine
			if tc.machine.Labels != nil {
				of = tc.machine
			}
			got, err := New(objecttest.New(t, tc.options)).Repairers(t.Context(), []cloud.Machine{of})
			if !errors.Is(err, tc.is) {
				t.Fatalf("error %v, want %v", err, tc.is)
			}
			if !tc.repairs {
				if len(got) != 0 {
					t.Errorf("repairers %+v, want none", got)
				}
				return
			}
			if len(got) != 1 || got[0].Unknown.ID != tc.unknown || !slices.Equal(got[0].Nodes, []string{of.Node}) {
				t.Fatalf("repairers %+v, want one of %s, unknown %q", got, of.Node, tc.unknown)
			}
			if tc.unknown == "" && got[0].By != (change.Ref{Kind: "Deployment", Namespace: "kube-system", Name: "karpenter"}) {
				t.Errorf("by %v", got[0].By)
			}
			if (tc.unknown == "") != (len(got[0].Rules) > 0) {
				t.Errorf("rules %v", got[0].Rules)
			}
		})
	}
}

func TestRules(t *testing.T) {
	dead := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown"}
	at := slices.IndexFunc(rulesOnAWS, func(r cloud.RepairerRule) bool { return r.Matches(dead) })
	if at < 0 || rulesOnAWS[at].For != 30*time.Minute || rulesOnAWS[at].Action != v1alpha1.ActionReplace {
		t.Errorf("a silent kubelet is matched by rule %d of %v", at, rulesOnAWS)
	}
}
