package evidence

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// saved is a Store as written to a file for the agent's next run. It is discarded if the host was rebooted since.
type saved struct {
	Boot    string        `json:"boot"`
	Entries []savedEntity `json:"entries"`
}

type savedEntity struct {
	Reason reason.ID   `json:"reason"`
	Entity string      `json:"entity,omitempty"`
	Times  []time.Time `json:"times"`
	Since  time.Time   `json:"since,omitzero"`
	Last   time.Time   `json:"last"`
	Count  int         `json:"count"`
	// Lasts is for how long the result of a look is valid.
	Lasts  time.Duration `json:"lasts,omitzero"`
	Source string        `json:"source,omitempty"`
	Raw    string        `json:"raw,omitempty"`
}

// Save returns the evidence as JSON, marked with the ID of the host's boot.
func (b *Store) Save(boot string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := saved{Boot: boot}
	for id, p := range b.byReason {
		for name, e := range p.entities {
			k := savedEntity{Reason: id, Entity: name, Times: e.times, Since: e.since, Last: e.last, Count: e.count, Source: e.source, Raw: e.raw}
			if p.reason.Polled() {
				k.Lasts = p.until.Sub(e.last)
			}
			out.Entries = append(out.Entries, k)
		}
	}
	slices.SortFunc(out.Entries, func(a, b savedEntity) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Entity, b.Entity))
	})
	return json.Marshal(out)
}

// earlier is the earlier of two times. Saved times are in the past, even if the clock was set back since.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Restore adds the evidence that an earlier run saved, unless the host was rebooted since. Reasons that are no longer in the catalogue, or
// off, are left out. Results of looks are valid for as long again as they were, so that there is time for a new look.
func (b *Store) Restore(data []byte, boot string, now time.Time) error {
	var in saved
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("read saved evidence: %w", err)
	}
	if in.Boot != boot {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range in.Entries {
		p := b.byReason[k.Reason]
		if p == nil || len(k.Times) == 0 {
			continue
		}
		for i := range k.Times {
			k.Times[i] = earlier(k.Times[i], now)
		}
		k.Since, k.Last = earlier(k.Since, now), earlier(k.Last, now)
		*p.entity(k.Entity) = entityEvidence{times: k.Times, since: k.Since, last: k.Last, count: k.Count, source: k.Source, raw: k.Raw}
		if p.reason.Polled() {
			p.until = later(p.until, now.Add(k.Lasts))
		}
	}
	return nil
}
