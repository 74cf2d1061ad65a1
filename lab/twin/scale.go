package twin

import (
	"fmt"

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
