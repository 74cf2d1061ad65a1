package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

func sample() play.Impact {
	return play.Impact{
		LengthSeconds: 100,
		Workloads: []play.WorkloadImpact{{Workload: "deployment/a/web", PodSeconds: 70, LongestSeconds: 40, Pods: 2, Outages: []play.Outage{
			{FromSeconds: 10, ToSeconds: 30, Pods: 2}, {FromSeconds: 30, ToSeconds: 50, Pods: 1}, {FromSeconds: 60, ToSeconds: 70, Pods: 1},
		}}},
		Nodes:       []play.NodeImpact{{Node: "n", Seconds: 80, Outages: []play.Outage{{FromSeconds: 20, ToSeconds: 100}}}},
		PreemptedAt: []float64{5, 25}, FailedJobsAt: []float64{90},
	}
}

// TestBetween clips what happened to the time that is measured.
func TestBetween(t *testing.T) {
	want := play.Impact{
		LengthSeconds: 45,
		Workloads: []play.WorkloadImpact{{Workload: "deployment/a/web", PodSeconds: 45, LongestSeconds: 30, Pods: 2, Outages: []play.Outage{
			{FromSeconds: 0, ToSeconds: 10, Pods: 2}, {FromSeconds: 10, ToSeconds: 30, Pods: 1}, {FromSeconds: 40, ToSeconds: 45, Pods: 1},
		}}},
		Nodes:       []play.NodeImpact{{Node: "n", Seconds: 45, Outages: []play.Outage{{FromSeconds: 0, ToSeconds: 45}}}},
		PreemptedAt: []float64{5}, FailedJobsAt: []float64{},
	}
	if diff := cmp.Diff(want, between(sample(), 20, 65)); diff != "" {
		t.Errorf("from 20 s to 65 s (-want +got):\n%s", diff)
	}
	whole := sample()
	if diff := cmp.Diff(whole, between(whole, 0, 100)); diff != "" {
		t.Errorf("the whole pass (-want +got):\n%s", diff)
	}
}

// TestReadPass takes a pass between its points, and refuses one that was not as expected.
func TestReadPass(t *testing.T) {
	const report = `{"scenario": "s", "passes": [{"met": true, "events": [{"atSeconds": 20, "kind": "step", "object": "begin"}, {"atSeconds": 30, "kind": "pod", "object": "end"}],
		"impact": {"lengthSeconds": 50, "workloads": [], "nodes": [], "preemptedAt": [10, 25], "failedJobsAt": []}}]}`
	i, err := readPass([]byte(report), story{scenario: "s", from: "begin", until: "end"})
	if err != nil || i.LengthSeconds != 30 || !cmp.Equal(i.PreemptedAt, []float64{5}) {
		t.Errorf("it is %+v, %v", i, err)
	}
	if _, err := readPass([]byte(strings.Replace(report, "true", "false", 1)), story{}); !errors.Is(err, errNotMet) {
		t.Errorf("of a pass that was not met: %v", err)
	}
}

// TestPicture is well-formed, and stays within its frame.
func TestPicture(t *testing.T) {
	decoder := xml.NewDecoder(strings.NewReader(picture([]record{{Scenario: "preempted-jobs", Alone: sample(), Naosu: sample()}, {Scenario: "silent-repair", Alone: sample()}})))
	circles := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 2 {
		t.Errorf("%d failed Jobs are drawn, want 2", circles)
	}
}

func TestShort(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0s", 59.6: "1m", 61: "1m1s", 600: "10m", 629: "10m", 4199.3: "1h10m", 3600: "1h"} {
		if got := short(seconds); got != want {
			t.Errorf("%v s are %s, want %s", seconds, got, want)
		}
	}
}
