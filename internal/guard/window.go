package guard

import (
	"slices"
	"time"
	// naosu's container image has no time zone database.
	_ "time/tzdata"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// window delays actions that evict pods until the policy's maintenance window is open.
func window(p Proposal, f Facts) Verdict {
	w := p.Policy.MaintenanceWindow
	if w == nil || !p.disrupts() {
		return allow
	}
	if f.Now.IsZero() {
		return unknown("time")
	}
	zone, err := time.LoadLocation(w.TimeZone)
	if err != nil {
		return unknown("timeZone " + w.TimeZone)
	}
	opens, open, ok := nextOpening(w, f.Now.In(zone))
	switch {
	case !ok:
		return unknown("maintenanceWindow")
	case open:
		return allow
	}
	return delay(WindowClosed, opens.Sub(f.Now), sentence.GuardWindow(opens.Format(time.RFC3339)))
}

// nextOpening is whether a window is open, and, if not, when it opens next. It checks the days from yesterday, whose window may last past
// midnight, to the same day of next week. A start that daylight saving time skips or repeats is normalized by time.Date.
func nextOpening(w *v1alpha1.MaintenanceWindow, now time.Time) (opens time.Time, open, ok bool) {
	start, err := time.Parse("15:04", w.Start)
	if err != nil || w.OpenForMinutes <= 0 {
		return time.Time{}, false, false
	}
	for day := -1; day <= 7; day++ {
		opens := time.Date(now.Year(), now.Month(), now.Day()+day, start.Hour(), start.Minute(), 0, 0, now.Location())
		if len(w.Days) > 0 && !slices.Contains(w.Days, v1alpha1.Weekday(opens.Weekday().String())) {
			continue
		}
		closes := opens.Add(time.Duration(w.OpenForMinutes) * time.Minute)
		switch {
		case opens.After(now):
			return opens, false, true
		case closes.After(now):
			return opens, true, true
		}
	}
	return time.Time{}, false, false
}
