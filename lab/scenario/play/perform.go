package play

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// on is the state of a machine that nothing is wrong with.
const on = "on"

// perform does a step, and says what it waits for before it is done.
func (s *session) perform(ctx context.Context, step scenario.Step) (action, error) {
	switch {
	case step.Apply != nil:
		return s.apply(ctx, step.Apply)
	case step.Delete != nil:
		return s.delete(ctx, *step.Delete)
	case step.Patch != nil:
		return s.patch(ctx, *step.Patch)
	case step.Resize != nil:
		return action{message: "resizes " + step.Resize.String()}, step.Resize.Do(s.cluster.Cloud())
	case step.Rotate != nil:
		return action{message: "rotates group/" + step.Rotate.Group}, s.cluster.Cloud().Rotate(step.Rotate.Group, step.Rotate.Rotation)
	case step.Terminate != nil:
		return s.terminate(*step.Terminate)
	case step.Fault != nil:
		return s.setState(ctx, step.Fault.Target, step.Fault.State)
	case step.Recover != nil:
		return s.setState(ctx, *step.Recover, on)
	case step.NodeRepair != nil:
		return action{message: step.NodeRepair.String()}, s.cluster.Cloud().SetNodeRepair(step.NodeRepair.Group, step.NodeRepair.NodeRepairConfig)
	case step.Naosu != nil:
		return s.command(ctx, *step.Naosu)
	case step.Wait != nil:
		return s.wait(*step.Wait)
	}
	return action{}, nil // a mark
}

func (s *session) apply(ctx context.Context, objects []scenario.Object) (action, error) {
	var names []string
	for _, o := range objects {
		if _, err := s.client.apply(ctx, o); err != nil {
			return action{}, err
		}
		names = append(names, o.GetKind()+" "+o.GetName())
	}
	return action{message: "applies " + strings.Join(names, ", ")}, nil
}

func (s *session) objects(source string) ([]metav1.Object, error) {
	env, err := s.pass.Env()
	if err != nil {
		return nil, err
	}
	program, err := env.Objects(source)
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", source, err)
	}
	objects, err := program.List(s.world)
	if err == nil && len(objects) == 0 {
		err = fmt.Errorf("there are no objects that %s gives", source)
	}
	return objects, err
}

func (s *session) delete(ctx context.Context, d scenario.Delete) (action, error) {
	objects, err := s.objects(d.Objects)
	if err != nil {
		return action{}, err
	}
	if err := s.client.delete(ctx, objects, d.Force); err != nil {
		return action{}, err
	}
	result := action{message: "deletes " + namesOf(objects)}
	if d.GoneWithin != nil {
		result.until = func() bool { return !s.anyExists(objects) }
		result.tracker.deadline = d.GoneWithin.Duration
	}
	return result, nil
}

func (s *session) patch(ctx context.Context, p scenario.Patch) (action, error) {
	objects, err := s.objects(p.Objects)
	if err != nil {
		return action{}, err
	}
	return action{message: "patches " + namesOf(objects)}, s.client.patch(ctx, objects, p.Merge)
}

func (s *session) terminate(t scenario.Terminate) (action, error) {
	c := s.cluster.Cloud()
	var ended []string
	for _, i := range c.Instances() {
		meant := i.State == cloud.Running && (t.Group == "" || i.Group == t.Group) && (t.Zone == "" || i.Zone == t.Zone)
		if !meant || t.Node != "" && i.NodeName != s.names[t.Node] {
			continue
		}
		if err := c.Terminate(i.ID, t.Decrement); err != nil {
			return action{}, fmt.Errorf("terminating %s: %w", i.ID, err)
		}
		ended = append(ended, i.NodeName)
	}
	if len(ended) == 0 {
		return action{}, fmt.Errorf("no running instance is meant by %s", t.Target)
	}
	return action{message: "terminates " + strings.Join(ended, ", ")}, nil
}

func (s *session) setState(ctx context.Context, t scenario.Target, state string) (action, error) {
	message := fmt.Sprintf("brings %s to %s", t, state)
	if state == on {
		message = fmt.Sprintf("brings %s back", t)
	}
	named := t.Node != ""
	if named {
		t.Node = s.names[t.Node]
	}
	affected, err := s.cluster.SetState(ctx, t, state)
	if !named && len(affected) > 0 {
		message += " (" + strings.Join(affected, ", ") + ")"
	}
	return action{message: message}, err
}

func (s *session) wait(w scenario.Wait) (action, error) {
	env, err := s.pass.Env()
	if err != nil {
		return action{}, err
	}
	program, err := env.Condition(w.Until)
	if err != nil {
		return action{}, fmt.Errorf("compiling %s: %w", w.Until, err)
	}
	result := action{
		message: fmt.Sprintf("waits up to %s until %s", duration.HumanDuration(w.Within.Duration), oneLine(w.Until)),
		until: func() bool {
			holds, err := program.Bool(s.world)
			return holds && err == nil
		},
		explain: func() string { return program.Explain(s.world) },
		tracker: tracker{deadline: w.Within.Duration + s.pace.Scenario(time.Duration(w.RealSeconds)*time.Second)},
	}
	if w.Holds != nil {
		result.tracker.holds = w.Holds.Duration
	}
	return result, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// namesOf shows up to three names.
func namesOf(objects []metav1.Object) string {
	var names []string
	for _, o := range objects {
		name := expr.KindOf(o) + "/" + o.GetName()
		if a, ok := o.(*storagev1.VolumeAttachment); ok { // its own name is a hash
			name = "VolumeAttachment of volume/" + ptr.Deref(a.Spec.Source.PersistentVolumeName, "(inline)") + " to " + a.Spec.NodeName
		}
		names = append(names, name)
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("and %d more", len(objects)-3))
	}
	return strings.Join(names, ", ")
}

// anyExists says whether one of these objects still exists.
func (s *session) anyExists(objects []metav1.Object) bool {
	uids := map[types.UID]bool{}
	for _, o := range objects {
		uids[o.GetUID()] = true
	}
	for _, k := range expr.Kinds {
		if slices.ContainsFunc(s.world.List(k.Variable), func(o any) bool {
			watched, ok := o.(metav1.Object)
			return ok && uids[watched.GetUID()]
		}) {
			return true
		}
	}
	return false
}
