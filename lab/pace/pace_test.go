package pace_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/lab/pace"
)

func TestPaceConversions(t *testing.T) {
	tests := map[string]struct {
		pace     *pace.Pace
		scenario time.Duration
		real     time.Duration
	}{
		"nil is real time":           {nil, time.Minute, time.Minute},
		"one is real time":           {pace.New(1), time.Minute, time.Minute},
		"ten times faster":           {pace.New(10), time.Minute, 6 * time.Second},
		"slower than reality is one": {pace.New(0.5), time.Minute, time.Minute},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.pace.Real(tc.scenario); got != tc.real {
				t.Errorf("Real(%s) = %s, want %s", tc.scenario, got, tc.real)
			}
			if got := tc.pace.Scenario(tc.real); got != tc.scenario {
				t.Errorf("Scenario(%s) = %s, want %s", tc.real, got, tc.scenario)
			}
		})
	}
}

func TestHold(t *testing.T) {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for name, p := range map[string]*pace.Pace{"nil": nil, "not held": pace.New(10)} {
		if began, is := p.Began(); !is || !began.IsZero() {
			t.Errorf("%s: Began() = %s, %v", name, began, is)
		}
	}
	p := pace.New(10)
	p.Hold()
	if _, is := p.Began(); is {
		t.Error("the scenario has begun while it is held")
	}
	p.Begin(start)
	if began, is := p.Began(); !is || !began.Equal(start) {
		t.Errorf("Began() = %s, %v after Begin(%s)", began, is, start)
	}
}

func TestSecondsMinimum(t *testing.T) {
	p := pace.New(20)
	got := []int64{p.Seconds("none", 0), p.Seconds("toleration", 300), p.Seconds("rounded", 30), p.Seconds("grace", 5)}
	if diff := cmp.Diff([]int64{0, 15, 2, 1}, got); diff != "" {
		t.Errorf("scaled seconds (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]pace.Setting{{Name: "grace", Stated: 5 * time.Second}}, p.AtMinimum()); diff != "" {
		t.Errorf("settings at their minimum (-want +got):\n%s", diff)
	}
}

func TestSecondsAtRealTime(t *testing.T) {
	for name, p := range map[string]*pace.Pace{"nil": nil, "one": pace.New(1)} {
		if got := p.Seconds("grace", 1); got != 1 {
			t.Errorf("%s: Seconds(1) = %d, want 1", name, got)
		}
		if got := p.AtMinimum(); len(got) != 0 {
			t.Errorf("%s: AtMinimum() = %v, want none", name, got)
		}
	}
}

func TestRateIsPositive(t *testing.T) {
	tests := map[string]struct {
		scale, stated, want float64
	}{
		"real time":      {1, 0.1, 0.1},
		"faster":         {20, 0.1, 2},
		"would be one":   {10, 0.1, 1.01},
		"one in a float": {3, 1.0 / 3, 1.01},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := pace.New(tc.scale).Rate(tc.stated); got != tc.want {
				t.Errorf("Rate(%v) at scale %v = %v, want %v", tc.stated, tc.scale, got, tc.want)
			}
		})
	}
}
