package addresses

import (
	"context"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// history is how many addresses of a subnet were free over time.
type history struct {
	Subnet string `json:"subnet"`
	// Points are sorted by time, the last being the present.
	Points []addresses.Point `json:"points"`
	// PerHour is how many more addresses are free after an hour at the recent rate, and RunsOut when none is left at this rate. They are left out if that is
	// not known, RunsOut also if it is not within a year.
	PerHour *float64   `json:"perHour,omitempty"`
	RunsOut *time.Time `json:"runsOut,omitempty"`
	size    int64
	over    time.Duration
}

// history reads earlier snapshots of the subnets of the present world.
func (o *Options) history(ctx context.Context, world *cluster.Snapshot) ([]history, error) {
	points := map[string][]addresses.Point{}
	add := func(world *cluster.Snapshot, report *addresses.Report) {
		for _, s := range report.Subnets {
			points[s.ID] = append(points[s.ID], addresses.Point{At: world.Taken().UTC(), Free: s.Free})
		}
	}
	err := o.ReadHistory(ctx, o.History, func(path string, world *cluster.Snapshot) error {
		report := addresses.Compute(world)
		if report == nil || !report.Has(cloud.Subnets) || world.Taken().IsZero() {
			return exit.BadInput("--history", sentence.ErrHistoryNothing(path), sentence.ErrHistoryWritten())
		}
		add(world, report)
		return nil
	})
	if err != nil {
		return nil, err
	}
	now := addresses.Compute(world)
	add(world, now)
	var all []history
	for _, s := range now.Subnets {
		one := history{Subnet: s.ID, Points: addresses.Sorted(points[s.ID]), size: s.Size}
		if rate, known := addresses.RateOf(one.Points); known {
			one.PerHour, one.over = new(rate.PerHour), rate.Over
		}
		if at, known := addresses.RunsOut(one.Points); known {
			one.RunsOut = new(at)
		}
		all = append(all, one)
	}
	return all, nil
}

// chartWidth bounds the columns of a chart.
const chartWidth = 40

// history writes a chart for each subnet.
func (w writer) history(all []history) {
	var rows [][]string
	for _, h := range all {
		first, last := h.Points[0], h.Points[len(h.Points)-1]
		rows = append(rows, []string{
			h.Subnet, duration.HumanDuration(last.At.Sub(first.At)), strconv.FormatInt(first.Free, 10), addresses.Chart(h.Points, h.size, chartWidth),
			strconv.FormatInt(last.Free, 10), w.runsOut(h, last),
		})
	}
	if len(rows) == 0 {
		return
	}
	w.Blank()
	w.Paragraph("", w.say.Say(sentence.AddressesHeadHistory()), output.Heading)
	w.Table("", w.heads(sentence.AddressesHeadSubnet(), sentence.AddressesHeadSpan(), sentence.AddressesHeadFirst(), sentence.AddressesHeadChart(), sentence.AddressesHeadLast(), sentence.AddressesHeadRunsOut()), rows)
}

// runsOut says when a subnet runs out, as an extrapolation.
func (w writer) runsOut(h history, last addresses.Point) string {
	over := duration.HumanDuration(h.over)
	switch {
	case h.PerHour == nil:
		return w.say.Say(sentence.AddressesUnknownCell())
	case last.Free == 0:
		return w.say.Say(sentence.AddressesRanOut())
	case h.RunsOut == nil:
		return w.say.Say(sentence.AddressesNotRunningOut(over))
	}
	return w.say.Say(sentence.AddressesRunsOutIn(duration.HumanDuration(h.RunsOut.Sub(last.At)), over))
}
