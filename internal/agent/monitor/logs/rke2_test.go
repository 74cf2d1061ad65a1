package logs

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

var ofKubelet = []reason.Reason{
	{ID: "Kubelet", Matches: []reason.Match{
		{Log: "kubelet", Pattern: `^prober\.go:\d+\] "Probe failed" .*pod="(?P<entity>[^"]+)"`}, {Log: "kubelet", Pattern: `^prober\.go:\d+\] "Probe errored" .*pod="(?P<entity>[^"]+)"`},
	}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
}

// RKE2's kubelet logs to a file, in text or JSON, and turns it over by renaming.
func TestLogFileOfRKE2(t *testing.T) {
	h := machine(t)
	const path = "/var/lib/rancher/rke2/agent/logs/kubelet.log"
	put(t, h, path, "I0718 09:11:02.713117    1881 prober.go:122] \"Probe failed\" pod=\"shop/from-before\"\n")
	put(t, h, "/var/lib/kubelet/config.yaml", "")
	heard := newListener()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	running.Go(func() {
		if err := New(h, DefaultOptions(), ofKubelet, "").Run(ctx, heard.emit); err != nil {
			t.Error(err)
		}
	})
	for _, line := range []string{
		`I0718 09:11:03.713117    1881 prober.go:122] "Probe failed" pod="shop/text"`,
		`{"ts":1721293863713.1,"caller":"prober/prober.go:122","msg":"Probe errored","v":0,"pod":"shop/json"}`,
	} {
		writing, stop := context.WithCancel(ctx)
		running.Go(func() { appendUntil(writing, t, h.Path(path), line+"\n") })
		_, pod, _ := strings.Cut(line, "shop/")
		pod, _, _ = strings.Cut(pod, `"`)
		heard.await(t, func() bool { return slices.Contains(heard.saw(evidence.Fault), "Kubelet shop/"+pod) })
		stop()
	}
	if faults := heard.saw(evidence.Fault); slices.Contains(faults, "Kubelet shop/from-before") {
		t.Errorf("nobody knows when that was: %q", faults)
	}
	heard.await(t, func() bool { return slices.Contains(heard.saw(evidence.Readable), "Kubelet") })
}

// Where RKE2 was told to log to the journal as well, each line is one.
func TestLineInBothPlaces(t *testing.T) {
	h := machine(t)
	put(t, h, rke2File, "")
	m, heard := New(h, DefaultOptions(), ofKubelet, ""), newListener()
	positions := newPositionStore("", "", m.clock)
	w := &watch{m: m, emit: heard.emit, availability: newAvailability(m, heard.emit, positions), positions: positions}
	handle := func(text, from string) {
		w.handle(line{log: kubeletLog, text: text, at: time.Now(), from: from})
	}
	const one = `I0718 09:11:03.713117    1881 prober.go:122] "Probe failed" pod="shop/web"`
	handle(one, "")
	handle(one, rke2File)
	handle(strings.Replace(one, "713117", "713118", 1), rke2File)
	handle(strings.Replace(one, "713117", "713118", 1), "")
	if faults := heard.saw(evidence.Fault); len(faults) != 2 {
		t.Errorf("two lines in two places are %q", faults)
	}
}

// RKE2's own lines in the journal are none of its kubelet's.
func TestKubeletThatTheJournalLacks(t *testing.T) {
	for name, tc := range map[string]struct {
		units      []string
		here, file bool
		absent     bool
		says       string
	}{
		"kubelet":                      {[]string{"kubelet.service"}, true, false, false, ""},
		"k3s, which has it in itself":  {[]string{"k3s-agent.service"}, true, false, false, ""},
		"RKE2 with its file":           {[]string{"rke2-agent.service"}, true, true, true, "logs to"},
		"RKE2 without its file":        {[]string{"rke2-server.service"}, true, false, false, "RKE2's own lines"},
		"a kubelet that logs nowhere":  {nil, true, false, false, "no line of a kubelet"},
		"no kubelet":                   {nil, false, false, true, "no kubelet is on this host"},
		"a kubelet beside an old file": {[]string{"kubelet.service"}, true, true, false, ""},
	} {
		h := machine(t)
		if tc.here {
			put(t, h, "/var/lib/kubelet/config.yaml", "")
		}
		if tc.file {
			put(t, h, rke2File, "")
		}
		err := New(h, DefaultOptions(), ofKubelet, "").missingKubelet(func(unit string) bool { return slices.Contains(tc.units, unit) })
		switch {
		case tc.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says) || absent(err) != tc.absent):
			t.Errorf("%s: %v", name, err)
		}
	}
}
