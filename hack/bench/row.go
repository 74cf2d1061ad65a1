package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/benchmark"
)

// figure is one value of a result. What it is its unit says: "ns/op" is a figure of the benchmark's own, "rebuilt:ns/op" is
// the same of an alternative that was measured in the same run, here one called rebuilt, and "target:rebuilt:ns/op" is how
// many times better than that alternative the own figure is to be. There are no other targets: how long something takes
// depends on the machine and on what else it does, and the ratio of two such times hardly does.
type figure struct {
	value             float64
	alternative, unit string
	target            bool
}

func parseFigure(value float64, unit string) figure {
	f := figure{value: value, unit: unit}
	f.unit, f.target = strings.CutPrefix(f.unit, "target:")
	if alternative, unit, found := strings.Cut(f.unit, ":"); found {
		f.alternative, f.unit = alternative, unit
	}
	return f
}

// row is a figure of a benchmark, and how it compares with an alternative.
type row struct{ figure, alternative, ratio, target string }

// rows are the result's comparisons, or its first figure if it has none, and what else was measured.
func (r result) rows() (rows []row, besides []string) {
	compared := map[string]bool{}
	for _, f := range r.figures {
		if f.alternative == "" {
			continue
		}
		own, found := r.find("", f.unit, false)
		alternative, measured := r.find(f.alternative, f.unit, false)
		switch {
		case !found || !measured:
			rows = append(rows, row{target: f.alternative + " is compared with nothing: MISSED"})
		case !f.target:
			aim, aimed := r.find(f.alternative, f.unit, true)
			rows = append(rows, compare(own, alternative, aim.value, aimed))
			compared[f.unit] = true
		}
	}
	for i, f := range r.figures {
		switch {
		case f.alternative != "" || compared[f.unit]:
		case i == 0 && len(rows) == 0:
			rows = append(rows, row{figure: f.String()})
		default:
			besides = append(besides, f.String())
		}
	}
	return rows, besides
}

func (r result) find(alternative, unit string, target bool) (figure, bool) {
	for _, f := range r.figures {
		if f.alternative == alternative && f.unit == unit && f.target == target {
			return f, true
		}
	}
	return figure{}, false
}

// compare says how many times better than the alternative a figure is, and whether that is enough where there is a target.
func compare(own, alternative figure, target float64, judged bool) row {
	ratio := own.betterThan(alternative)
	compared := row{figure: own.String(), alternative: alternative.alternative + " " + alternative.amount(), ratio: times(ratio)}
	if judged {
		verdict := "MISSED"
		if ratio >= target {
			verdict = "met"
		}
		compared.target = "≥ " + times(target) + " " + verdict
	}
	return compared
}

// betterThan takes more to be better of speeds; all else is a cost.
func (f figure) betterThan(other figure) float64 {
	if strings.HasSuffix(f.unit, "/s") {
		return f.value / other.value
	}
	return other.value / f.value
}

func times(ratio float64) string {
	if ratio >= 100 {
		return fmt.Sprintf("%.0f×", ratio)
	}
	return fmt.Sprintf("%.3g×", ratio)
}

func (f figure) String() string {
	switch f.unit {
	case "ns/op", "B/op":
		return f.amount() + "/op"
	case benchmark.CPUPerOp:
		return f.amount() + " CPU/op"
	default:
		return f.amount() + " " + f.unit
	}
}

// amount is the value with the part of its unit that the value decides on.
func (f figure) amount() string {
	switch f.unit {
	case "ns/op", benchmark.CPUPerOp:
		return humanTime(f.value)
	case "B/op":
		return humanBytes(f.value)
	default:
		return strconv.FormatFloat(f.value, 'f', -1, 64)
	}
}

func humanTime(nanoseconds float64) string {
	if nanoseconds < 100 {
		return fmt.Sprintf("%.3g ns", nanoseconds)
	}
	d := time.Duration(nanoseconds)
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond} {
		if d >= unit {
			return strconv.FormatFloat(float64(d)/float64(unit), 'g', 4, 64) + " " + strings.TrimLeft(unit.String(), "1")
		}
	}
	return d.String()
}

func humanBytes(bytes float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.size {
			return fmt.Sprintf("%.1f %s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f B", bytes)
}
