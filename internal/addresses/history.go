package addresses

import (
	"slices"
	"time"
)

// Point is how many addresses of a subnet were free at a time.
type Point struct {
	At   time.Time `json:"at"`
	Free int64     `json:"free"`
}

// recently is the time before the last point that counts for the rate. If it has a single point, the one before counts, too.
const recently = 6 * time.Hour

// Rate is how fast the free addresses of a subnet change.
type Rate struct {
	// PerHour is how many more are free after an hour; negative if fewer are.
	PerHour float64
	// Over is the time from which the rate is computed.
	Over time.Duration
}

// RateOf is the rate at the end of some points; false with fewer than two times. It is what lies between two points: what was between them is not known.
func RateOf(points []Point) (Rate, bool) {
	points = Sorted(points)
	if len(points) < 2 {
		return Rate{}, false
	}
	last := points[len(points)-1]
	first := points[len(points)-2]
	for _, p := range points[:len(points)-1] {
		if last.At.Sub(p.At) <= recently {
			first = p
			break
		}
	}
	over := last.At.Sub(first.At)
	return Rate{PerHour: float64(last.Free-first.Free) / over.Hours(), Over: over}, true
}

// mostAhead bounds an extrapolation: a year says no more than that it takes long.
const mostAhead = 365 * 24 * time.Hour

// RunsOut extrapolates when no address is free, from the last of some points on; false if it is not known, or not within a year.
func RunsOut(points []Point) (time.Time, bool) {
	rate, known := RateOf(points)
	if !known || rate.PerHour >= 0 {
		return time.Time{}, false
	}
	points = Sorted(points)
	last := points[len(points)-1]
	hours := float64(last.Free) / -rate.PerHour
	if hours > mostAhead.Hours() {
		return time.Time{}, false
	}
	return last.At.Add(time.Duration(hours * float64(time.Hour))), true
}

// Sorted are points in the order of their times, of several with one time the last.
func Sorted(points []Point) []Point {
	all := slices.Clone(points)
	slices.SortStableFunc(all, func(a, b Point) int { return a.At.Compare(b.At) })
	var kept []Point
	for _, p := range all {
		if n := len(kept); n > 0 && kept[n-1].At.Equal(p.At) {
			kept[n-1] = p
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// bars are the eighths of a row of text.
var bars = []rune("▁▂▃▄▅▆▇█")

// Chart is a row of text of at most so many columns that shows how many of a subnet's addresses were free over time: each column stands for an equal time
// and has the height of the fewest then, or is blank if nothing is known of that time. Columns are at least as high as one eighth, so that none looks blank.
func Chart(points []Point, size int64, width int) string {
	points = Sorted(points)
	if len(points) == 0 || width < 1 {
		return ""
	}
	from, to := points[0].At, points[len(points)-1].At
	row := make([]rune, min(width, columns(points)))
	for i := range row {
		row[i] = ' '
	}
	least := map[int]int64{}
	for _, p := range points {
		at := 0
		if span := to.Sub(from); span > 0 {
			at = int(float64(p.At.Sub(from)) / float64(span) * float64(len(row)-1))
		}
		if free, seen := least[at]; !seen || p.Free < free {
			least[at] = p.Free
		}
		row[at] = bars[height(least[at], size)]
	}
	return string(row)
}

// columns is how many columns show all points apart: the time of all, divided by the shortest between two.
func columns(points []Point) int {
	shortest := time.Duration(0)
	for i := 1; i < len(points); i++ {
		if between := points[i].At.Sub(points[i-1].At); shortest == 0 || between < shortest {
			shortest = between
		}
	}
	if shortest == 0 {
		return 1
	}
	const most = 1000 // More than any width.
	return int(min(most, points[len(points)-1].At.Sub(points[0].At)/shortest)) + 1
}

// height is the index of a bar.
func height(free, size int64) int {
	top := int64(len(bars) - 1)
	if size <= 0 {
		return 0
	}
	return int(max(0, min(top, (free*top+size-1)/size)))
}
