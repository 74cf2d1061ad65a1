package whatif

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/verticalautoscaler"
)

// nextSteps fills in, where a DaemonSet is to grow and nobody says how much, what its vertical autoscaler will ask for
// next. Each is noted with when it comes.
func nextSteps(in input.Input, changes []change.Change) (filled []change.Change, notes []string, err error) {
	for _, c := range changes {
		grow, ok := c.(change.GrowDaemonSet)
		if !ok || len(grow.Requests) > 0 {
			filled = append(filled, c)
			continue
		}
		if in.World.DaemonSet(grow.Namespace, grow.Name) == nil {
			return nil, nil, notThere(in.World, grow.Subject())
		}
		found := false
		for _, step := range verticalautoscaler.AllSteps(in.Judge.World()) {
			if step.Autoscaler.Name == "" || step.Target != grow.Subject() || grow.Container != "" && grow.Container != step.Container {
				continue
			}
			found = true
			grow.Container, grow.Requests = step.Container, step.Requests
			filled = append(filled, grow)
			notes = append(notes, in.Say.Say(sentence.ForecastStep(step.Autoscaler, step.MoreNodes, len(in.World.Nodes())+step.MoreNodes)))
		}
		if !found {
			return nil, nil, exit.BadInput("--cpu", sentence.ErrNoStep(grow.Subject()),
				sentence.ErrQuantityRemedy())
		}
	}
	return filled, notes, nil
}
