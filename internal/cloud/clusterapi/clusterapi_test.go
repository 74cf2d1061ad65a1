package clusterapi

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object"
	"github.com/naosu-dev/naosu/internal/cloud/object/objecttest"
	"github.com/naosu-dev/naosu/internal/message"
)

// kindsOf are Cluster API's in one version.
func kindsOf(version string) []schema.GroupVersionKind {
	return []schema.GroupVersionKind{machineKind.WithVersion(version), healthCheckKind.WithVersion(version)}
}

var node = cloud.Machine{
	Node: "node-a", ProviderID: "metal:///a",
	Annotations: map[string]string{"cluster.x-k8s.io/machine": "md-0-a", "cluster.x-k8s.io/cluster-namespace": "capi"},
}

const (
	ofSet = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: md-0-a
  namespace: capi
  uid: uid-a
  labels: {cluster.x-k8s.io/cluster-name: shop, pool: md-0}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: md-0, uid: uid-set, controller: true}]
spec: {providerID: "metal:///a"}`
	ofControlPlane = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: md-0-a
  namespace: capi
  uid: uid-a
  labels: {cluster.x-k8s.io/cluster-name: shop, pool: control-plane}
  ownerReferences: [{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, name: kcp, uid: uid-kcp, controller: true}]
spec: {providerID: "metal:///a"}`
	successor = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: md-0-a, namespace: capi, uid: uid-later, labels: {cluster.x-k8s.io/cluster-name: shop}}
spec: {providerID: "metal:///b"}`
	skipped = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: md-0-a
  namespace: capi
  uid: uid-a
  labels: {cluster.x-k8s.io/cluster-name: shop, pool: md-0}
  annotations: {cluster.x-k8s.io/skip-remediation: ""}
spec: {providerID: "metal:///a"}`
)

// check is a MachineHealthCheck of v1beta2 in a namespace, for a pool.
func check(namespace, pool, more string) string {
	return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {name: ` + pool + `, namespace: ` + namespace + `, uid: uid-check}
spec:
  clusterName: shop
  selector: {matchLabels: {pool: ` + pool + `}}
` + more
}

const conditions = `
  checks:
    unhealthyNodeConditions:
    - {type: Ready, status: Unknown, timeoutSeconds: 300}
    - {type: NetworkingReady, status: "False", timeoutSeconds: 1800}`

func TestReplace(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "machines"}, "md-0-a", errors.New("changed"))
	for name, tc := range map[string]struct {
		manifests []string
		faults    map[string]error
		id        string
		is        error
		left      string // of the Machine
	}{
		"a set makes another":            {manifests: []string{ofSet}, id: "uid-a", left: "gone"},
		"a check minds it":               {manifests: []string{ofSet, check("capi", "md-0", "")}, id: "uid-a", left: "marked"},
		"a check minds another pool":     {manifests: []string{ofSet, check("capi", "md-1", "")}, id: "uid-a", left: "gone"},
		"a check in another namespace":   {manifests: []string{ofSet, check("other", "md-0", "")}, id: "uid-a", left: "gone"},
		"a control plane, minded":        {manifests: []string{ofControlPlane, check("capi", "control-plane", "")}, id: "uid-a", left: "marked"},
		"a control plane, nobody minds":  {manifests: []string{ofControlPlane}, is: cloud.ErrNotOffered, left: "as it was"},
		"a person wants it left alone":   {manifests: []string{skipped, check("capi", "md-0", "")}, is: cloud.ErrNotOffered, left: "as it was"},
		"gone":                           {left: "gone"},
		"gone, and another has its name": {manifests: []string{successor}, left: "as it was"},
		"changed meanwhile":              {manifests: []string{ofSet}, faults: map[string]error{"delete Machine": conflict}, is: cloud.ErrPassing, left: "as it was"},
	} {
		t.Run(name, func(t *testing.T) {
			c := objecttest.New(t, objecttest.Options{Kinds: kindsOf("v1beta2"), Manifests: tc.manifests, Faults: tc.faults})
			done, err := New(c).Replace(t.Context(), node)
			if !errors.Is(err, tc.is) || done.ID != tc.id {
				t.Errorf("operation %q, error %v; want %q, %v", done.ID, err, tc.id, tc.is)
			}
			machine, err := object.Get(t.Context(), c, machineKind, keyOf(node))
			if err != nil {
				t.Fatal(err)
			}
			left := "as it was"
			if machine == nil {
				left = "gone"
			} else if _, marked := machine.GetAnnotations()[annotationRemediate]; marked {
				left = "marked"
			}
			if left != tc.left {
				t.Errorf("the Machine is %s, want %s", left, tc.left)
			}
		})
	}
}

func TestMay(t *testing.T) {
	for name, tc := range map[string]struct {
		manifests, allowed []string
		may                v1alpha1.May
		why                message.ID
	}{
		"delete":            {[]string{ofSet}, []string{"delete machines.cluster.x-k8s.io"}, v1alpha1.MayYes, message.CloudAccessAllowed},
		"only patch":        {[]string{ofSet}, []string{"patch machines.cluster.x-k8s.io"}, v1alpha1.MayNo, message.CloudAccessDenied},
		"patch where mind":  {[]string{ofSet, check("capi", "md-0", "")}, []string{"patch machines.cluster.x-k8s.io"}, v1alpha1.MayYes, message.CloudAccessAllowed},
		"nobody makes more": {[]string{ofControlPlane}, []string{"delete machines.cluster.x-k8s.io"}, v1alpha1.MayNo, message.CloudNoOwner},
		"left alone":        {[]string{skipped}, nil, v1alpha1.MayNo, message.CloudHeld},
		"gone":              {nil, nil, v1alpha1.MayUnknown, message.CloudGone},
	} {
		t.Run(name, func(t *testing.T) {
			c := objecttest.New(t, objecttest.Options{Kinds: kindsOf("v1beta2"), Manifests: tc.manifests, Allowed: tc.allowed})
			got, err := New(c).May(t.Context(), v1alpha1.ActionReplace, node)
			if err != nil || got.May != tc.may || got.Why.ID != tc.why {
				t.Errorf("%+v, %v; want %s, %s", got, err, tc.may, tc.why)
			}
		})
	}
}

func TestRepairers(t *testing.T) {
	older := `
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineHealthCheck
metadata: {name: md-0, namespace: capi, uid: uid-check}
spec:
  clusterName: shop
  selector: {matchExpressions: [{key: pool, operator: In, values: [md-0]}]}
  unhealthyConditions:
  - {type: Ready, status: Unknown, timeout: 5m0s}
  - {type: NetworkingReady, status: "False", timeout: 30m}`
	bad := strings.Replace(check("capi", "md-0", conditions), "matchLabels: {pool: md-0}", "matchExpressions: [{key: pool, operator: Like}]", 1)
	want := []cloud.RepairerRule{
		{Condition: "Ready", Status: "Unknown", For: 5 * time.Minute, Action: v1alpha1.ActionReplace},
		{Condition: "NetworkingReady", Status: "False", For: 30 * time.Minute, Action: v1alpha1.ActionReplace},
	}
	elsewhere := []cloud.RepairerRule{{Condition: "Ready", Status: "Unknown", For: 5 * time.Minute}, {Condition: "NetworkingReady", Status: "False", For: 30 * time.Minute}}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "machinehealthchecks"}, "", errors.New("no"))
	for name, tc := range map[string]struct {
		version   string
		manifests []string
		faults    map[string]error
		rules     []cloud.RepairerRule
		unknown   message.ID
	}{
		"v1beta2":            {version: "v1beta2", manifests: []string{ofSet, check("capi", "md-0", conditions)}, rules: want},
		"v1beta1":            {version: "v1beta1", manifests: []string{strings.ReplaceAll(ofSet, "v1beta2", "v1beta1"), older}, rules: want},
		"by a template":      {version: "v1beta2", manifests: []string{ofSet, check("capi", "md-0", conditions+"\n  remediation: {templateRef: {kind: Metal3RemediationTemplate, name: r}}")}, rules: elsewhere},
		"without conditions": {version: "v1beta2", manifests: []string{ofSet, check("capi", "md-0", "")}},
		"another pool":       {version: "v1beta2", manifests: []string{ofSet, check("capi", "md-1", conditions)}},
		"left alone":         {version: "v1beta2", manifests: []string{skipped, check("capi", "md-0", conditions)}},
		"not permitted":      {version: "v1beta2", manifests: []string{ofSet}, faults: map[string]error{"list MachineHealthCheck": forbidden}, unknown: message.CloudUnread},
		"no Machines read":   {version: "v1beta2", manifests: []string{check("capi", "md-0", conditions)}, faults: map[string]error{"list Machine": forbidden}, unknown: message.CloudUnread},
		"not a selector":     {version: "v1beta2", manifests: []string{ofSet, bad}, unknown: message.CloudUnread},
		"not installed":      {},
	} {
		t.Run(name, func(t *testing.T) {
			options := objecttest.Options{Manifests: tc.manifests, Faults: tc.faults}
			if tc.version != "" {
				options.Kinds = kindsOf(tc.version)
			}
			got, err := New(objecttest.New(t, options)).Repairers(t.Context(), []cloud.Machine{node, {Node: "elsewhere"}})
			if err != nil {
				t.Fatal(err)
			}
			if len(tc.rules) == 0 && tc.unknown == "" {
				if len(got) != 0 {
					t.Errorf("repairers %+v, want none", got)
				}
				return
			}
			if len(got) != 1 || got[0].Unknown.ID != tc.unknown || !slices.Equal(got[0].Nodes, []string{"node-a"}) {
				t.Fatalf("repairers %+v, want one of node-a, unknown %q", got, tc.unknown)
			}
			if diff := cmp.Diff(tc.rules, got[0].Rules); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
			if tc.unknown == "" && got[0].By != (change.Ref{Kind: "MachineHealthCheck", Namespace: "capi", Name: "md-0"}) {
				t.Errorf("by %v", got[0].By)
			}
		})
	}
}
