package chart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// foreign are the kinds of others who run machines or repair nodes, as far as the controller may have to do with them.
var foreign = map[string]schema.GroupVersionKind{
	"nodeclaims":          {Group: "karpenter.sh", Version: "v1", Kind: "NodeClaim"},
	"machines":            {Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Machine"},
	"machinehealthchecks": {Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "MachineHealthCheck"},
	"nodehealthchecks":    {Group: "remediation.medik8s.io", Version: "v1alpha1", Kind: "NodeHealthCheck"},
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// defines has the cluster know the kinds of others until the test ends.
func (c *cluster) defines(t *testing.T) {
	t.Helper()
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	for plural, kind := range foreign {
		scope := "Cluster"
		if kind.Group == "cluster.x-k8s.io" {
			scope = "Namespaced"
		}
		name := plural + "." + kind.Group
		create(t, c, definitions, &unstructured.Unstructured{Object: object{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			// Groups below k8s.io need an annotation with who approved them.
			"metadata": object{"name": name, "annotations": object{"api-approved.kubernetes.io": "unapproved, a test"}},
			"spec": object{
				"group": kind.Group, "scope": scope, "names": object{"plural": plural, "singular": strings.ToLower(kind.Kind), "kind": kind.Kind, "listKind": kind.Kind + "List"},
				"versions": []any{object{"name": kind.Version, "served": true, "storage": true, "schema": object{"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
			},
		}})
		t.Cleanup(func() {
			ctx, served := context.WithoutCancel(t.Context()), kind.GroupVersion().WithResource(plural)
			if err := client.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
			testbed.Eventually(t, func() error { return c.unserved(served) })
		})
	}
}

// unserved is an error as long as the API server says that it has a resource.
func (c *cluster) unserved(resource schema.GroupVersionResource) error {
	list, err := c.client.Discovery().ServerResourcesForGroupVersion(resource.GroupVersion().String())
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil && slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource.Resource }) {
		return fmt.Errorf("%s is still served", resource)
	}
	return err
}

// alone is a label by which a policy selects one node.
const alone = "test.naosu.dev/node"

// createForeignRemediation gives the machine of one node to Karpenter, and those of two to Cluster API: one in a set, one that a health check selects.
func (c *cluster) createForeignRemediation(t *testing.T, karpenters, inSet, minded string) {
	t.Helper()
	for _, node := range []string{karpenters, inSet, minded} {
		c.marks(t, node, `{"metadata":{"labels":{"`+alone+`":"`+node+`"}}}`, `{"metadata":{"labels":{"`+alone+`":null}}}`)
	}
	c.marks(t, karpenters, `{"metadata":{"labels":{"karpenter.sh/nodepool":"general"}}}`, `{"metadata":{"labels":{"karpenter.sh/nodepool":null}}}`)
	for node, more := range map[string]object{
		inSet:  {"ownerReferences": []any{object{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "name": "s", "uid": "s", "controller": true}}},
		minded: {"labels": object{"minded": "yes"}},
	} {
		c.marks(t, node, `{"metadata":{"annotations":{"cluster.x-k8s.io/machine":"`+node+`","cluster.x-k8s.io/cluster-namespace":"default"}}}`,
			`{"metadata":{"annotations":{"cluster.x-k8s.io/machine":null,"cluster.x-k8s.io/cluster-namespace":null}}}`)
		more["name"], more["namespace"] = node, "default"
		c.foreign(t, "machines", object{"metadata": more})
	}
	c.foreign(t, "machinehealthchecks", object{
		"metadata": object{"name": "check", "namespace": "default"},
		"spec":     object{"selector": object{"matchLabels": object{"minded": "yes"}}},
	})
}

func (c *cluster) foreign(t *testing.T, plural string, o object) {
	t.Helper()
	kind := foreign[plural]
	o["apiVersion"], o["kind"] = kind.GroupVersion().String(), kind.Kind
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		_, err := client.Resource(kind.GroupVersion().WithResource(plural)).Namespace("default").Create(t.Context(), &unstructured.Unstructured{Object: o}, metav1.CreateOptions{})
		return err
	})
}

// marks changes a node until the test ends.
func (c *cluster) marks(t *testing.T, node, patch, back string) {
	t.Helper()
	apply := func(ctx context.Context, patch string) {
		if _, err := c.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Error(err)
		}
	}
	apply(t.Context(), patch)
	t.Cleanup(func() { apply(context.WithoutCancel(t.Context()), back) })
}

// mayReplace says that policies which only report, one for each node, report that their nodes' machines may be replaced, and by whom.
func (c *cluster) mayReplace(t *testing.T, actuators map[string]string) {
	t.Helper()
	for node := range actuators {
		made, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1alpha1.NodeRepairPolicy{
			TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "NodeRepairPolicy"},
			ObjectMeta: metav1.ObjectMeta{Name: "replace-" + node},
			Spec: v1alpha1.NodeRepairPolicySpec{
				Mode: v1alpha1.ModeReport, NodeSelector: metav1.LabelSelector{MatchLabels: map[string]string{alone: node}},
				Rules: []v1alpha1.RepairRule{{Name: "storage", Condition: "StorageReady", Status: "False", Action: v1alpha1.ActionReplace}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		create(t, c, policies, &unstructured.Unstructured{Object: made})
	}
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	for node, actuator := range actuators {
		testbed.Eventually(t, func() error {
			read, err := client.Resource(policies).Get(t.Context(), "replace-"+node, metav1.GetOptions{})
			if err != nil {
				return err
			}
			var p v1alpha1.NodeRepairPolicy
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(read.Object, &p); err != nil {
				return err
			}
			if !slices.ContainsFunc(p.Status.Permissions, func(o v1alpha1.Permission) bool { return o.Actuator == actuator && o.May == v1alpha1.MayYes }) {
				return fmt.Errorf("%s may not replace %s: %+v", actuator, node, p.Status.Permissions)
			}
			return nil
		})
	}
}

var remediations = schema.GroupVersionResource{Group: "naosu.dev", Version: "v1alpha1", Resource: "remediations"}

// drills has the chain tried on a node, by its agent and by the controller, until it is known how far it goes.
func (c *cluster) drills(t *testing.T, node string) {
	t.Helper()
	n, err := c.client.CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, c, remediations, &unstructured.Unstructured{Object: object{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "Remediation", "metadata": object{"name": "drill"},
		"spec": object{
			"node":  object{"name": node, "uid": string(n.UID)},
			"drill": object{"nonce": "c0ffee0ddba11", "reason": "InterfaceNotUp", "depth": string(v1alpha1.DrillDryRun)},
		},
	}})
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		read, err := client.Resource(remediations).Get(t.Context(), "drill", metav1.GetOptions{})
		if err != nil {
			return err
		}
		var r v1alpha1.Remediation
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(read.Object, &r); err != nil {
			return err
		}
		if r.Status.Agent == nil || meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded) == nil {
			return errors.New("the drill goes on")
		}
		return nil
	})
}
