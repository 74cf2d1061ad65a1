package evidence

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// saved is a Store as it is kept over a restart of the agent. A reboot of the host makes it void.
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
	// Lasts is for how long a look says something.
	Lasts  time.Duration `json:"lasts,omitzero"`
	Source string        `json:"source,omitempty"`
	Raw    string        `json:"raw,omitempty"`
}

// Save is the evidence there is, as JSON, of the boot with that ID.
func (b *Store) Save(boot string) ([]byte, error) {
	out := saved{Boot: boot}
	for id, p := range b.byReason {
		for name, e := range p.entities {
			k := savedEntity{Reason: id, Entity: name, Times: e.times, Since: e.since, Last: e.last, Count: e.count, Source: e.source, Raw: e.raw}
			if p.reason.Looked() {
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

// earlier is the earlier of two times. What was kept is of the past, whatever the clock was put back to since.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Restore takes in what an earlier run saved, unless the host was booted since. Reasons that are gone or off since are left
// out. What looks had found holds until there was time to look again.
func (b *Store) Restore(data []byte, boot string, now time.Time) error {
	var in saved
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("read saved evidence: %w", err)
	}
	if in.Boot != boot {
		return nil
	}
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
		if p.reason.Looked() {
			p.until = latest(p.until, now.Add(k.Lasts))
		}
	}
	return nil
}
