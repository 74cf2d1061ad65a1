package addresses

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// at are points at so many minutes, with so many free addresses.
func at(pairs ...int64) []Point {
	var points []Point
	for i := 0; i < len(pairs); i += 2 {
		points = append(points, Point{taken.Add(time.Duration(pairs[i]) * time.Minute), pairs[i+1]})
	}
	return points
}

func TestRunsOut(t *testing.T) {
	for name, tc := range map[string]struct {
		points []Point
		// minutes after the first time; -1 is unknown or never.
		want int64
	}{
		"no point":                          {nil, -1},
		"one point":                         {at(0, 9), -1},
		"one time twice":                    {at(0, 9, 0, 3), -1},
		"fewer each hour":                   {at(0, 30, 60, 20), 180},
		"in any order":                      {at(60, 20, 0, 30), 180},
		"none is left":                      {at(0, 30, 60, 0), 60},
		"more each hour":                    {at(0, 20, 60, 30), -1},
		"the same":                          {at(0, 20, 60, 20), -1},
		"what was long ago does not count":  {at(0, 1000, 10_000, 30, 10_060, 20), 10_180},
		"unless there is nothing else":      {at(0, 30, 1000, 20), 3000},
		"in more than a year":               {at(0, 1_000_000, 60, 999_999), -1},
		"what was between the points is no": {at(0, 30, 30, 0, 60, 20), 180},
	} {
		got, known := RunsOut(tc.points)
		if !known && tc.want != -1 || known && !got.Equal(taken.Add(time.Duration(tc.want)*time.Minute)) {
			t.Errorf("%s: %v %v, want after %d min", name, got, known, tc.want)
		}
	}
}

func TestChart(t *testing.T) {
	for name, tc := range map[string]struct {
		points []Point
		size   int64
		width  int
		want   string
	}{
		"nothing":                          {nil, 27, 10, ""},
		"one point":                        {at(0, 27), 27, 10, "█"},
		"fewer":                            {at(0, 27, 60, 14, 120, 0), 27, 10, "█▅▁"},
		"a gap":                            {at(0, 27, 60, 27, 180, 0), 27, 10, "██ ▁"},
		"the fewest of a column":           {at(0, 27, 1, 27, 2, 0, 3, 27), 27, 2, "▁█"},
		"more than the size, and negative": {at(0, 99, 60, -5), 27, 10, "█▁"},
		"an unknown size":                  {at(0, 9, 60, 9), 0, 10, "▁▁"},
		"one is free":                      {at(0, 1, 60, 0), 4091, 10, "▂▁"},
	} {
		if got := Chart(tc.points, tc.size, tc.width); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestChartBounds: whatever the points, a chart is no wider than asked, begins and ends with a bar, and consists of bars and blanks.
func TestChartBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []Point
		for range rapid.IntRange(1, 40).Draw(t, "points") {
			points = append(points, Point{time.Unix(rapid.Int64Range(-1<<33, 1<<33).Draw(t, "at"), 0), rapid.Int64().Draw(t, "free")})
		}
		width := rapid.IntRange(1, 60).Draw(t, "width")
		got := Chart(points, rapid.Int64Range(-1, 1<<16).Draw(t, "size"), width)
		if utf8.RuneCountInString(got) > width || strings.Trim(got, string(bars)+" ") != "" || strings.TrimSpace(got) != got {
			t.Fatalf("%q of %v", got, points)
		}
	})
}
