package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const report = `{"scenario": "s", "passes": [{"met": true, "events": [
	{"atSeconds": 9, "kind": "pod", "object": "node-fails"}, {"atSeconds": 5, "kind": "step", "object": "node-fails"}],
	"expectations": [{"name": "replaced", "met": true, "atSeconds": 359.5}, {"name": "other", "met": true, "atSeconds": null}]}]}`

// A pass is measured from the step on, and not if it was not as expected or does not have what is measured.
func TestReadPass(t *testing.T) {
	got, err := readPass([]byte(report), aloneOff.pass)
	if want := (figures{aloneOff: 354.5}); err != nil || !cmp.Equal(got, want, cmp.AllowUnexported(span{})) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for name, test := range map[string]struct {
		change [2]string
		want   error
	}{
		"not met":        {[2]string{`[{"met": true`, `[{"met": false`}, errNotMet},
		"not played":     {[2]string{`"passes": [`, `"passes": [], "x": [`}, errNotMet},
		"no step":        {[2]string{`"kind": "step"`, `"kind": "pod"`}, errNotMeasured},
		"no expectation": {[2]string{`"replaced"`, `"replaced-otherwise"`}, errNotMeasured},
	} {
		if _, err := readPass([]byte(strings.Replace(report, test.change[0], test.change[1], 1)), aloneOff.pass); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readPass([]byte("no report"), aloneOff.pass); err == nil {
		t.Error("what is no report is read")
	}
}

const output = `        silence_test.go:172: measured power-off: 5.3 s, 2 pods
            silence_test.go:172: measured power-off-of-30: 6.4 s, 30 pods
            silence_test.go:172: measured power-off-of-110: 9.1 s, 110 pods
            volume_test.go:85: measured volume-of-a-stopped-instance: 82.1 s; not ready after 53.1 s, out of service after 59.0 s
            volume_test.go:86: measured volume-after-proof: 23.1 s
            kubelet_test.go:66: measured kubelet-restart: 40.6 s; found not ready after 0.0 s (0: it was not)
            silence_test.go:177: measured power-off-of-the-leader: 18.4 s
`

// What a test does not say was not measured.
func TestReadTest(t *testing.T) {
	got, err := readTest([]byte(output))
	if want := (figures{silentOff: 5.3, silentOff30: 6.4, silentOff110: 9.1, silentLeader: 18.4, volumeAway: 82.1, volumeReleased: 23.1, kubeletRestart: 40.6}); err != nil || !cmp.Equal(got, want, cmp.AllowUnexported(span{})) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if _, err := readTest([]byte(strings.Replace(output, "power-off-of-the-leader", "x", 1))); !errors.Is(err, errNotMeasured) {
		t.Errorf("without a figure: %v", err)
	}
}

// Each figure is in the table, in both languages.
func TestTable(t *testing.T) {
	all := figures{silentOff: 5.6, silentOff30: 7.2, silentOff110: 11.2, silentLeader: 18.4, volumeAway: 82.1, volumeReleased: 23.1, kubeletRestart: 40.6}
	for i, s := range spans {
		all[s] = float64(101 + i)
	}
	for lang, want := range map[string][]string{
		english:  {"| Kubernetes alone | 101 s | 102 s |", "60` | 103 s | 104 s |", "30` | 105 s | 106 s |", " | 6 s | not", " | 7 s | not", " | 11 s | not", " | 18 s | not", " | 82 s | does", " | 23 s | does", "Ready after 41 s |"},
		japanese: {"| Kubernetes のみ | 101 秒 | 102 秒 |", "60` | 103 秒 | 104 秒 |", "30` | 105 秒 | 106 秒 |", " | 6 秒 |", " | 7 秒 |", " | 11 秒 |", " | 18 秒 |", " | 82 秒 |", " | 23 秒 |", "41 秒後に"},
	} {
		text := table(all, lang)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("the table has no %q:\n%s", w, text)
			}
		}
	}
}
