package config

import (
	"context"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// refusals returns a monitor that reports invalid files of own reasons (PatternFileRefused) as long as the agent runs without them. Such a
// file does not stop the agent.
func (c Config) refusals() monitor.Monitor {
	return monitor.Periodic{
		Title: "own-reasons", IDs: []reason.ID{reason.PatternFileRefused}, Period: 10 * time.Minute, Source: "configuration",
		Find: func(context.Context) ([]evidence.Evidence, error) {
			if len(c.Own) == 0 && len(c.Refused) == 0 {
				return []evidence.Evidence{{Reason: reason.PatternFileRefused, State: evidence.Inapplicable, Raw: "there are no own reasons"}}, nil
			}
			var found []evidence.Evidence
			for _, r := range c.Refused {
				found = append(found, evidence.Evidence{Reason: reason.PatternFileRefused, State: evidence.Fault, Entity: r.File, Raw: r.Err.Error()})
			}
			return found, nil
		},
	}
}
