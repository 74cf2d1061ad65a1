package twin

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
)

// scale brings the seconds that workloads and pods state to the lab's pace, as a scenario's manifests are.
func (c *contents) scale(p *pace.Pace) error {
	if p.Scale() == 1 {
		return nil
	}
	c.noteLab()
	for i, o := range c.objects {
		if podSpec(o) == nil {
			continue
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return fmt.Errorf("bringing %s to the lab's pace: %w", nameOf(o), err)
		}
		scaled := scenario.Object{Unstructured: unstructured.Unstructured{Object: fields}}.Scaled(p)
		paced := o.DeepCopyObject().(object)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(scaled.Object, paced); err != nil {
			return fmt.Errorf("bringing %s to the lab's pace: %w", nameOf(o), err)
		}
		c.objects[i], c.uids[o.GetUID()] = paced, paced
	}
	return nil
}

// noteLab reports that the seconds of a lab's pods may be shortened twice: a snapshot does not say how fast its lab ran.
func (c *contents) noteLab() {
	labs := 0
	for _, node := range all[*corev1.Node](c) {
		if node.Annotations[simulated] != "" {
			labs++
		}
	}
	c.notes.add(labs, "node of a lab", "if that lab ran with --time-scale, its pods' tolerations and deadlines are as short already and become shorter still; "+
		"take the snapshot of one that runs in real time, or start its twin without --time-scale")
}
