package repaircheck

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// rowsOf are the rows about a reason, by the nodes that they are about.
func rowsOf(f Facts, why string) (on [][]string, verdicts []Verdict) {
	for _, row := range Check(f) {
		if row.Reason == why {
			on, verdicts = append(on, row.On), append(verdicts, row.Verdict)
		}
	}
	return on, verdicts
}

// What is reported of accelerators is a matter of nodes that have some: that others are without the condition cuts no chain.
func TestNodesWithoutAccelerators(t *testing.T) {
	const lost = "NvidiaXID79Error"
	capacity := func(f *Facts, at int, resources string, amount string) {
		n := f.Nodes[at].DeepCopy()
		n.Status.Capacity = corev1.ResourceList{corev1.ResourceName(resources): resource.MustParse(amount)}
		f.Nodes[at] = n
	}
	reports := func(f *Facts, at int) {
		n := f.Nodes[at].DeepCopy()
		n.Status.Conditions = append(n.Status.Conditions, condition(acceleratedHardware, "NoFault", time.Minute))
		f.Nodes[at] = n
	}
	for name, tc := range map[string]struct {
		change func(*Facts)
		want   []string
	}{
		"no accelerators":               {func(*Facts) {}, nil},
		"one node reports of them":      {func(f *Facts) { reports(f, 1) }, []string{"n2"}},
		"one has some, and no word":     {func(f *Facts) { capacity(f, 2, "nvidia.com/gpu", "8") }, []string{"n3"}},
		"one has shares of some":        {func(f *Facts) { capacity(f, 2, "nvidia.com/mig-1g.5gb", "7") }, []string{"n3"}},
		"Neuron":                        {func(f *Facts) { capacity(f, 0, "aws.amazon.com/neuroncore", "2") }, []string{"n1"}},
		"a plugin that lists none":      {func(f *Facts) { capacity(f, 0, "nvidia.com/gpu", "0") }, nil},
		"another's resource":            {func(f *Facts) { capacity(f, 0, "vendor.example/gpu", "1") }, nil},
		"one reports, and one does not": {func(f *Facts) { reports(f, 1); capacity(f, 2, "nvidia.com/gpu", "8") }, []string{"n2", "n3"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := whole()
			tc.change(&f)
			on, verdicts := rowsOf(f, lost)
			var nodes []string
			for _, row := range on {
				nodes = append(nodes, row...)
			}
			slices.Sort(nodes)
			if !slices.Equal(nodes, tc.want) {
				t.Errorf("it is checked on %v, want %v (%v)", nodes, tc.want, verdicts)
			}
		})
	}
}
