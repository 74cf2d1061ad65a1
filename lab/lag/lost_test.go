package lag

import (
	"testing"
	"time"
)

func TestLost(t *testing.T) {
	// Two processors, one second between the samples; the threads of this process in the order of their IDs.
	used := func(all, own, stolen time.Duration, threads ...thread) *usage {
		u := &usage{processors: 2, all: all, own: own, stolen: stolen, threads: map[int]thread{}}
		for i, t := range threads {
			u.threads[i] = t
		}
		return u
	}
	const ms = time.Millisecond
	tests := []struct {
		name string
		used *usage
		late time.Duration // of the timer
		want time.Duration
	}{
		{"an idle machine", used(100*ms, 90*ms, 0, thread{80 * ms, 1 * ms}), 2 * ms, 0},
		{"a timer that is late as timers are", nil, 49 * ms, 0},
		{"a process that was stopped", used(100*ms, 90*ms, 0, thread{80 * ms, 1 * ms}), 20 * time.Second, 20 * time.Second},
		{"one that was stopped, where nothing can be read", nil, 20 * time.Second, 20 * time.Second},

		{"others take half of the machine, and nobody waits", used(1300*ms, 300*ms, 0, thread{200 * ms, 0}), 0, 0},
		{"others take all, and this process waits for what it does", used(2000*ms, 200*ms, 0, thread{200 * ms, 400 * ms}), 0, 360 * ms},
		{"its threads wait together", used(2000*ms, 1000*ms, 0, thread{500 * ms, 900 * ms}, thread{500 * ms, 900 * ms}), 0, 473684211},
		{"nobody can lose more than the time that passes", used(2000*ms, 20*ms, 0, thread{10 * ms, 990 * ms}, thread{10 * ms, 990 * ms}), 0, 989900010},
		{"a late timer on a busy machine is the same loss", used(2000*ms, 200*ms, 0, thread{200 * ms, 400 * ms}), 100 * ms, 360 * ms},

		{"naosu burns all processors", used(2200*ms, 2190*ms, 0, thread{300 * ms, 600 * ms}), 100 * ms, 0},
		{"the lab burns them", used(2120*ms, 2110*ms, 0, thread{1900 * ms, 3000 * ms}), 60 * ms, 0},
		{"naosu burns them while the timer is very late", used(6000*ms, 5990*ms, 0, thread{300 * ms, 2600 * ms}), 2 * time.Second, 0},
		{"naosu burns what others leave", used(2000*ms, 1000*ms, 0, thread{200 * ms, 900 * ms}), 0, 0},
		{"naosu burns half of what others leave", used(2000*ms, 600*ms, 0, thread{200 * ms, 400 * ms}), 0, 175 * ms},
		{"naosu burns what a hypervisor leaves", used(1000*ms, 990*ms, 1000*ms, thread{200 * ms, 200 * ms}), 0, 0},

		{"a hypervisor takes half of what is wanted", used(400*ms, 300*ms, 400*ms, thread{300 * ms, 0}), 0, 300 * ms},
		{"a hypervisor takes something from an idle process", used(400*ms, 10*ms, 400*ms, thread{10 * ms, 0}), 0, 0},
		{"a kernel that does not count waiting", used(2000*ms, 200*ms, 0), 0, 0},
		{"nothing was used", used(0, 0, 0), 0, 0},
	}
	base := used(time.Hour, time.Minute, time.Second, thread{time.Second, time.Second}, thread{time.Second, time.Second})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := sample{at: time.Unix(1000, 0)}
			after, due := sample{at: before.at.Add(time.Second + tt.late)}, before.at.Add(time.Second)
			if tt.used != nil {
				before.usage = base
				after.usage = used(base.all+tt.used.all, base.own+tt.used.own, base.stolen+tt.used.stolen)
				for id, u := range tt.used.threads {
					after.usage.threads[id] = thread{base.threads[id].ran + u.ran, base.threads[id].waited + u.waited}
				}
			}
			if got := lost(before, after, due); (got - tt.want).Abs() > time.Microsecond {
				t.Errorf("lost %s, want %s", got, tt.want)
			}
		})
	}
}

// TestLostOfWhatCannotBeCompared has counters that are missing or go backwards.
func TestLostOfWhatCannotBeCompared(t *testing.T) {
	now := time.Unix(1000, 0)
	known := func(all, waited time.Duration) *usage {
		return &usage{processors: 1, all: all, threads: map[int]thread{1: {waited, waited}}}
	}
	for name, pair := range map[string][2]*usage{
		"never read":                  {nil, nil},
		"not read at first":           {nil, known(time.Second, time.Second)},
		"not read any more":           {known(time.Second, time.Second), nil},
		"a thread's ID is used again": {known(time.Second, time.Second), known(2*time.Second, time.Millisecond)},
		"all goes backwards":          {known(time.Minute, time.Second), known(time.Second, 2*time.Second)},
	} {
		if got := lost(sample{now, pair[0]}, sample{now.Add(time.Second), pair[1]}, now.Add(time.Second)); got != 0 {
			t.Errorf("%s: lost %s, want nothing", name, got)
		}
	}
}

func TestDescends(t *testing.T) {
	own := map[int]bool{10: true, 20: false}
	// 11 and 12 are new below this process, 21 below another, and 30 below one that is not there.
	parents := map[int]int{11: 10, 12: 11, 21: 20, 30: 29, 40: 41, 41: 40}
	for pid, want := range map[int]bool{11: true, 12: true, 21: false, 30: false, 40: false} {
		if got := descends(pid, parents, own); got != want {
			t.Errorf("process %d descends: %v, want %v", pid, got, want)
		}
	}
}
