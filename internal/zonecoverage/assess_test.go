package zonecoverage

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/kube"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// inGroup labels a node with its node group.
func inGroup(name string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		if n.Labels["eks.amazonaws.com/nodegroup"] = name; name == "" {
			delete(n.Labels, "eks.amazonaws.com/nodegroup")
		}
	}
}

// mounting is a template that mounts a claim.
func mounting(claim, cpu string, edits ...func(*corev1.PodSpec)) corev1.PodTemplateSpec {
	return w.Template("redis", cpu, append(edits, w.Mounting(claim))...)
}

func scaledTo(n int32, of w.Objects) w.Objects {
	for _, o := range of {
		switch o := o.(type) {
		case *appsv1.Deployment:
			o.Spec.Replicas = &n
		case *appsv1.StatefulSet:
			o.Spec.Replicas = &n
		}
	}
	return of
}

// TestAssess says which zones hold volumes in use, whether usable nodes fit their pods, and which groups could get a node there.
func TestAssess(t *testing.T) {
	group, data := inGroup("general"), w.ZonalClaim("data", "c")
	removed := func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: kube.TaintToBeDeleted, Effect: corev1.TaintEffectNoSchedule})
	}
	tainted := func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "team", Effect: corev1.TaintEffectNoSchedule})
	}
	other := w.Of(w.Node("n1", "a", group), w.Node("n2", "b", group))
	for name, tc := range map[string]struct {
		objects w.Objects
		want    string
	}{
		"no volumes":                          {w.Of(other, w.Deployment("web", w.Template("web", "1"), "n1")), ""},
		"a claim that nobody uses":            {w.Of(other, data), ""},
		"a Deployment scaled to zero":         {w.Of(other, data, scaledTo(0, w.Deployment("redis", mounting("data", "1")))), ""},
		"the pod runs there":                  {w.Of(other, w.Node("n3", "c", group), data, w.Deployment("redis", mounting("data", "1"), "n3")), "c True"},
		"its node is cordoned":                {w.Of(other, w.Node("n3", "c", group, w.CordonedNode), data, w.Deployment("redis", mounting("data", "1"), "n3")), "c False unfit=1 general"},
		"its node is not ready":               {w.Of(other, w.Node("n3", "c", group, w.NotReady), data, w.Deployment("redis", mounting("data", "1"), "n3")), "c False unfit=1 general"},
		"its node is being removed":           {w.Of(other, w.Node("n3", "c", group, removed), data, w.Deployment("redis", mounting("data", "1"), "n3")), "c False unfit=1 general"},
		"another node of the zone":            {w.Of(other, w.Node("n3", "c", group, w.CordonedNode), w.Node("n4", "c", group), data, w.Deployment("redis", mounting("data", "1"), "n3")), "c True"},
		"another node is too small":           {w.Of(other, w.Node("n3", "c", group, w.CordonedNode), w.Node("n4", "c", group, w.CPU("500m")), data, w.Deployment("redis", mounting("data", "1"), "n3")), "c False unfit=1 general"},
		"another node is tainted":             {w.Of(other, w.Node("n3", "c", group, w.CordonedNode), w.Node("n4", "c", inGroup("team"), tainted), data, w.Deployment("redis", mounting("data", "1"), "n3")), "c False unfit=1 general"},
		"the pod waits":                       {w.Of(other, data, w.Deployment("redis", mounting("data", "1"), "")), "c False unfit=1 general"},
		"the pod is not there yet":            {w.Of(other, data, scaledTo(1, w.Deployment("redis", mounting("data", "1")))), "c False unfit=1 general"},
		"too large for any group":             {w.Of(w.Node("n1", "a", group, w.CPU("1")), data, w.Deployment("redis", mounting("data", "2"), "")), "c False unfit=1"},
		"nodes of no group":                   {w.Of(w.Node("n1", "a", inGroup("")), data, w.Deployment("redis", mounting("data", "1"), "")), "c False unfit=1 -"},
		"both do not fit the node":            {w.Of(other, w.Node("n3", "c", group, w.CordonedNode), w.Node("n4", "c", group, w.CPU("1500m")), data, w.ZonalClaim("more", "c"), w.Deployment("redis", mounting("data", "1"), "n3"), w.Deployment("more", mounting("more", "1"), "n3")), "c False unfit=1 general"},
		"placeholder pods give way":           {w.Of(w.Node("n1", "a", group), w.Node("n3", "c", group, w.CPU("1")), data, w.Deployment("room", w.Template("room", "1", w.Priority(-10)), "n3"), w.Deployment("redis", mounting("data", "1"), "")), "c True"},
		"two zones, one of them covered":      {w.Of(other, data, w.ZonalClaim("here", "a"), w.Deployment("redis", mounting("data", "1"), ""), w.Deployment("here", mounting("here", "1"), "n1")), "a True; c False unfit=1 general"},
		"an ordinal that is not there":        {w.Of(other, w.ZonalClaim("data-redis-0", "c"), scaledTo(1, claiming("data", w.StatefulSet("redis", w.Template("redis", "1"))))), "c False unfit=1 general"},
		"a class that provisions in one zone": {w.Of(other, claimOf("data", "one"), classIn("one", "c"), w.Deployment("redis", mounting("data", "1"), "")), "c False unfit=1 general"},
		"one that provisions where a node is": {w.Of(other, claimOf("data", "one"), classIn("one", "a", "c"), w.Deployment("redis", mounting("data", "1"), "")), "a True"},
		"one that provisions anywhere":        {w.Of(other, claimOf("data", "any"), classIn("any"), w.Deployment("redis", mounting("data", "1"), "")), ""},
		"the pod's own node affinity": {
			w.Of(other, claimOf("data", "any"), classIn("any"), w.Deployment("redis", mounting("data", "1", onlyIn("c")), "")), "c False unfit=1 general",
		},
		"its node affinity, and a node there": {
			w.Of(other, w.Node("n3", "c", group), claimOf("data", "any"), classIn("any"), w.Deployment("redis", mounting("data", "1", onlyIn("c")), "")), "c True",
		},
		"its nodeSelector": {
			w.Of(other, claimOf("data", "any"), classIn("any"), w.Deployment("redis", mounting("data", "1", func(s *corev1.PodSpec) {
				s.NodeSelector = map[string]string{corev1.LabelTopologyZone: "c"}
			}), "")), "c False unfit=1 general",
		},
		"another term of its node affinity": {
			w.Of(other, claimOf("data", "any"), classIn("any"), w.Deployment("redis", mounting("data", "1", onlyIn("c"), func(s *corev1.PodSpec) {
				terms := &s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
				*terms = append(*terms, corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "ssd", Operator: corev1.NodeSelectorOpExists}}})
			}), "")), "",
		},
		"an ordinal that was scaled down": {w.Of(other, w.ZonalClaim("data-redis-0", "c"), scaledTo(0, claiming("data", w.StatefulSet("redis", w.Template("redis", "1"))))), ""},
	} {
		c, err := Assess(t.Context(), tc.objects.CompleteJudge(t).World())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var zones []string
		for _, z := range c.Zones {
			said := z.Name + " " + string(z.Covered)
			if z.Covered != metav1.ConditionTrue {
				said += fmt.Sprintf(" unfit=%d", len(z.Unfit))
			}
			for _, g := range z.Candidates {
				if g.Name == "" {
					g.Name = "-"
				}
				said += " " + g.Name
			}
			zones = append(zones, said)
		}
		if got := strings.Join(zones, "; "); got != tc.want || len(c.Unread) > 0 {
			t.Errorf("%s: %q, want %q (%v)", name, got, tc.want, c.Unread)
		}
	}
}

// claimOf is a claim of a StorageClass without a volume.
func claimOf(name, class string) *corev1.PersistentVolumeClaim {
	claim := w.ZonalClaim(name, "")[0].(*corev1.PersistentVolumeClaim)
	claim.Annotations, claim.Spec.VolumeName, claim.Spec.StorageClassName, claim.Status.Phase = nil, "", &class, corev1.ClaimPending
	return claim
}

// classIn is a StorageClass that provisions in some zones, or anywhere, once a pod is placed.
func classIn(name string, zones ...string) *storagev1.StorageClass {
	class := w.WaitForFirstConsumerClass(name)
	if len(zones) > 0 {
		class.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: corev1.LabelTopologyZone, Values: zones}}}}
	}
	return class
}

// onlyIn requires a zone of the pod's node.
func onlyIn(zone string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}}}},
		}}}
	}
}

// claiming has a StatefulSet's pods mount claims of a template.
func claiming(name string, of w.Objects) w.Objects {
	for _, o := range of {
		if s, is := o.(*appsv1.StatefulSet); is {
			s.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: name}}}
			s.Spec.Template.Spec.Volumes = nil
		}
	}
	return of
}

// TestNeeded says how many new nodes the pods of a zone need together, as the scheduler places them beside the pods of DaemonSets.
func TestNeeded(t *testing.T) {
	group := inGroup("general")
	waiting := func(cpu string, n int, edits ...func(*corev1.PodSpec)) w.Objects {
		var all w.Objects
		for i := range n {
			name := fmt.Sprint("db", i)
			all = append(all, w.Of(w.ZonalClaim(name, "c"), w.Deployment(name, mounting(name, cpu, edits...), ""))...)
		}
		return all
	}
	four := w.Of(w.Node("n1", "a", group), w.Node("n2", "b", group)) // of 4 CPUs each
	for name, tc := range map[string]struct {
		objects        w.Objects
		needed, placed int
	}{
		"one pod":                    {w.Of(four, waiting("3", 1)), 1, 1},
		"two that share a node":      {w.Of(four, waiting("2", 2)), 1, 2},
		"two that do not":            {w.Of(four, waiting("3", 2)), 2, 2},
		"five, two on a node":        {w.Of(four, waiting("2", 5)), 3, 5},
		"beside a DaemonSet's pod":   {w.Of(four, waiting("2", 2), w.DaemonSet("agent", w.Template("agent", "100m"), "n1", "n2")), 2, 2},
		"one on each node":           {w.Of(four, waiting("100m", 3, w.AntiAffinity(corev1.LabelHostname, "redis"))), 3, 3},
		"more nodes do not help":     {w.Of(four, waiting("100m", 3, w.AntiAffinity(corev1.LabelTopologyZone, "redis"))), 1, 1},
		"some room is there already": {w.Of(four, w.Node("n3", "c", group), waiting("3", 3)), 2, 2},
	} {
		c, err := Assess(t.Context(), tc.objects.CompleteJudge(t).World())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(c.Zones) != 1 || len(c.Zones[0].Candidates) != 1 {
			t.Errorf("%s: %+v", name, c.Zones)
			continue
		}
		if got := c.Zones[0].Candidates[0]; got.Needed != tc.needed || got.Placed != tc.placed {
			t.Errorf("%s: %d nodes for %d pods, want %d for %d", name, got.Needed, got.Placed, tc.needed, tc.placed)
		}
	}
}
