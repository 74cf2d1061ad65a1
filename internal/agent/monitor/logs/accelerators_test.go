package logs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// What the kernel logs of a GPU that is gone, and of a machine that cannot be trusted.
const (
	offTheBus = "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
	cperFatal = "{1}[Hardware Error]: event severity: fatal"
)

// bus puts a PCI device on a host.
func bus(t *testing.T, h host.Host, address, vendor, kmsgReader, class string) {
	t.Helper()
	folder := "/sys/bus/pci/devices/" + address
	put(t, h, folder+"/vendor", vendor+"\n")
	put(t, h, folder+"/device", kmsgReader+"\n")
	put(t, h, folder+"/class", class+"\n")
}

func gpu(t *testing.T, h host.Host) { bus(t, h, "0000:3b:00.0", "0x10de", "0x2330", "0x030200") }

// Neuron's device is on the bus, and its driver shows it.
func neuron(t *testing.T, h host.Host) {
	bus(t, h, "0000:00:1e.0", "0x1d0f", "0x7164", "0x088000")
	put(t, h, "/sys/devices/virtual/neuron_device/neuron0/core_count", "2\n")
}

// last is the state that was told last of a reason, but for faults.
func (l *listener) last(id reason.ID) (evidence.State, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.emitted) {
		if e.Reason == id && e.State != evidence.Fault {
			return e.State, e.Raw
		}
	}
	return "", ""
}

// A record of a GPU's is evidence where there is a GPU, and no record of the kernel's is any where pods may write it.
func TestRecordsNeedTheirHardware(t *testing.T) {
	const xid, cper = "NvidiaXID79Error 0000:3b:00", "CperHardwareErrorFatal"
	for name, tc := range map[string]struct {
		with      []func(*testing.T, host.Host)
		want      []string
		xid, cper evidence.State
	}{
		"no accelerator":    {nil, []string{cper, cper}, evidence.Inapplicable, evidence.Readable},
		"a GPU":             {[]func(*testing.T, host.Host){gpu}, []string{cper, cper, xid, xid}, evidence.Readable, evidence.Readable},
		"a pod writes":      {[]func(*testing.T, host.Host){neuron}, nil, evidence.Inapplicable, evidence.Inapplicable},
		"a pod, and a GPU":  {[]func(*testing.T, host.Host){neuron, gpu}, nil, evidence.Inapplicable, evidence.Inapplicable},
		"a bus of nonsense": {[]func(*testing.T, host.Host){func(t *testing.T, h host.Host) { bus(t, h, "0000:3b:00.0", "NVIDIA", "H100", "GPU") }}, []string{cper, cper}, evidence.Unreadable, evidence.Readable},
		"another's GPU":     {[]func(*testing.T, host.Host){func(t *testing.T, h host.Host) { bus(t, h, "0000:3b:00.0", "0x1002", "0x74a1", "0x038000") }}, []string{cper, cper}, evidence.Inapplicable, evidence.Readable},
		"Neuron, no driver": {[]func(*testing.T, host.Host){func(t *testing.T, h host.Host) { bus(t, h, "0000:00:1e.0", "0x1d0f", "0x7164", "0x088000") }}, []string{cper, cper}, evidence.Inapplicable, evidence.Readable},
	} {
		t.Run(name, func(t *testing.T) {
			h := machine(t)
			for _, with := range tc.with {
				with(t, h)
			}
			kernel := kernelDevice(t, h)
			for i, text := range []string{offTheBus, offTheBus, cperFatal, cperFatal} {
				if _, err := fmt.Fprintf(kernel, "4,%d,%d000000,-;%s\n", i+1, i+1, text); err != nil {
					t.Fatal(err)
				}
			}
			heard := newListener()
			if err := New(h, DefaultOptions(), reason.Catalogue, "").Look(t.Context(), heard.emit); err != nil {
				t.Fatal(err)
			}
			expect(t, "faults", heard.saw(evidence.Fault), tc.want)
			for id, want := range map[reason.ID]evidence.State{"NvidiaXID79Error": tc.xid, "CperHardwareErrorFatal": tc.cper} {
				if is, why := heard.last(id); is != want || want != evidence.Readable && why == "" {
					t.Errorf("%s is %s (%s), want %s", id, is, why, want)
				}
			}
		})
	}
}

// A GPU that is gone from the bus is the node's still: its reason goes on over a restart of the agent. After a reboot it is not.
func TestGPUGoneFromTheBus(t *testing.T) {
	h, folder := machine(t), t.TempDir()
	gpu(t, h)
	kernelDevice(t, h)
	look := func() evidence.State {
		heard := newListener()
		m := New(h, DefaultOptions(), reason.Catalogue, folder)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := m.Run(ctx, heard.emit); err != nil {
				t.Error(err)
			}
		})
		heard.await(t, func() bool {
			return slices.ContainsFunc(heard.emitted, func(e evidence.Evidence) bool { return e.Reason == reason.NvidiaXID79Error })
		})
		cancel()
		running.Wait()
		is, _ := heard.last(reason.NvidiaXID79Error)
		return is
	}
	if is := look(); is != evidence.Readable {
		t.Fatalf("with the GPU it is %s", is)
	}
	if err := os.RemoveAll(h.Path("/sys/bus/pci/devices/0000:3b:00.0")); err != nil {
		t.Fatal(err)
	}
	if is := look(); is != evidence.Readable {
		t.Errorf("when the GPU has gone it is %s", is)
	}
	put(t, h, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n")
	if is := look(); is != evidence.Inapplicable {
		t.Errorf("after a reboot without it, it is %s", is)
	}
}

// A GPU that the host did not have when the log was opened is told of when its driver writes. The bus is asked once a second at most.
func TestGPUThatComesLater(t *testing.T) {
	h := machine(t)
	heard := newListener()
	m := New(h, DefaultOptions(), reason.Catalogue, "")
	now := clocktesting.NewFakeClock(time.Now())
	m.clock = now
	availability := newAvailability(m, heard.emit, newPositionStore("", "boot", now))
	availability.note(source{logs: []string{kernelLog}}, nil)
	lost, _ := reason.Find("NvidiaXID79Error")
	if is, _ := heard.last(lost.ID); is != evidence.Inapplicable {
		t.Errorf("without a GPU it is %s", is)
	}
	now.Step(time.Minute)
	if availability.applies(lost) {
		t.Error("a record is evidence without a GPU")
	}
	gpu(t, h)
	if availability.applies(lost) {
		t.Error("the bus was asked again at once")
	}
	now.Step(time.Second)
	if !availability.applies(lost) {
		t.Error("a record is no evidence with a GPU")
	}
	if is, _ := heard.last(lost.ID); is != evidence.Readable {
		t.Errorf("with a GPU it is %s", is)
	}
	neuron(t, h)
	if is, _ := heard.last(lost.ID); availability.applies(lost) || is != evidence.Readable {
		t.Error("a record is evidence where pods may write it")
	}
	if is, why := heard.last(lost.ID); is != evidence.Inapplicable || !strings.Contains(why, "Neuron") {
		t.Errorf("where pods may write it, it is %s: %s", is, why)
	}
}

// ledByName are lines that the kernel begins with the name of a process.
var ledByName = []string{
	"%s[4711]: segfault at 0 ip 00000000004004b6 sp 00007ffc0 error 4 in a.out[400000+1000]",
	"%s[4711]: unhandled exception: DABT (lower EL), ESR 0x92000004",
	"%s invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
	"%s: page allocation failure: order:0, mode:0x40cc0(GFP_KERNEL|__GFP_COMP)",
	"%s (4711): drop_caches: 3",
	"%s: potentially unexpected fatal signal 11.",
}

// Whatever a process is called, none of what the kernel says of it is evidence of a fatal reason: neither where its name begins the
// line, nor where NVIDIA's driver names it within a record.
func TestNamesOfProcessesDecideNothing(t *testing.T) {
	all := compile(reason.Catalogue)[kernelLog]
	fatal := map[reason.ID]bool{}
	for _, r := range reason.Catalogue {
		fatal[r.ID] = r.Severity == reason.Fatal
	}
	const longest = 15 // TASK_COMM_LEN is 16
	tried := 0
	for _, list := range records(t) {
		for _, r := range list {
			text, own := r.text(t)
			if !own || !slices.ContainsFunc(r.Of, func(id reason.ID) bool { return fatal[id] }) {
				continue
			}
			for from := 0; from < len(text); from++ {
				name := text[from:min(from+longest, len(text))]
				for _, line := range ledByName {
					hold(t, all, fatal, strings.ReplaceAll(line, "%s", name))
				}
				for _, code := range []string{"13", "63", "149", "154"} {
					for _, said := range []string{"RLW_RXPIPE Nonfatal XC0 i0 Link 13", "GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)", "Ch 00000008"} {
						hold(t, all, fatal, "NVRM: Xid (PCI:0000:3b:00): "+code+", pid=4711, name="+name+", "+said)
						tried++
					}
				}
			}
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d names were tried", tried)
	}
}

// hold finds that a line is evidence of a fatal reason.
func hold(t *testing.T, all patterns, fatal map[reason.ID]bool, text string) {
	t.Helper()
	for _, h := range all.match(text) {
		if fatal[h.reason] {
			t.Errorf("%s is raised by %s", h.reason, text)
		}
	}
}

// Periodic number that the driver may write is one reason's and no other's, whatever stands after it: the fatal ones each their own, and
// what no catalogue has yet is a warning.
func TestEveryXIDIsOneReason(t *testing.T) {
	all := compile(reason.Catalogue)[kernelLog]
	texts := map[string]bool{
		"": false, "pid='<unknown>', name=<unknown>, ": false, "pid=4711, name=python3, Ch 00000008": false, "RLW_RXPIPE Nonfatal XC0 i0 Link 13": false,
		"NETIR_LINK_EVT  Fatal   XC0 i0 Link 01": true, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)": true,
	}
	fatal := map[int]bool{}
	for _, code := range []int{46, 48, 54, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158} {
		fatal[code] = true
	}
	application := []int{13, 31, 43, 45, 94}
	for code := range 1000 {
		for text, grave := range texts {
			results := all.match(fmt.Sprintf("NVRM: Xid (PCI:0000:3b:00): %d, %s", code, text))
			if len(results) != 1 || results[0].entity != "0000:3b:00" {
				t.Fatalf("%d, %s is evidence of %v", code, text, results)
			}
			got := string(results[0].reason)
			link, action := code >= 144 && code <= 150 && strings.Contains(text, "  Fatal"), code == 154 && strings.Contains(text, "recovery")
			switch own := fmt.Sprintf("NvidiaXID%dError", code); {
			case fatal[code], grave && (link || action):
				if got != own {
					t.Errorf("%d, %s is %s", code, text, got)
				}
			case got == own:
				t.Errorf("%d, %s is fatal", code, text)
			case slices.Contains(application, code) && got != string(reason.NvidiaXIDApplicationError):
				t.Errorf("%d, %s is %s", code, text, got)
			}
			if code > 176 && got != string(reason.NvidiaXIDWarning) {
				t.Errorf("%d, which there is not, is %s", code, got)
			}
		}
	}
	// The EKS agent's names of what is no reason of its own here mean the same reason.
	for name, want := range map[string]reason.ID{
		"NvidiaXID63Error": reason.NvidiaXIDWarning, "NvidiaXID142Error": reason.NvidiaXIDWarning, "NvidiaXID149Warning": reason.NvidiaXIDWarning,
		"NvidiaXID13Error": reason.NvidiaXIDApplicationError, "NvidiaXID31Warning": reason.NvidiaXIDApplicationError, "NvidiaXID79Error": reason.NvidiaXID79Error,
	} {
		if r, _ := reason.Find(name); r.ID != want {
			t.Errorf("%s is %q", name, r.ID)
		}
	}
}
