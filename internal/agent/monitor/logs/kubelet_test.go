package logs

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	jsonlogs "k8s.io/component-base/logs/json"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// inJSON is what the kubelet's logger writes with --logging-format=json.
func inJSON(say func(logr.Logger)) string {
	var out buffer
	logger, control := jsonlogs.NewJSONLogger(2, &out, nil, nil)
	say(logger)
	control.Flush()
	return strings.NewReplacer("kubelet_test.go", "pod_workers.go").Replace(out.String())
}

type buffer struct{ bytes.Buffer }

func (*buffer) Sync() error { return nil }

// What the kubelet says is the same in JSON as in text, by the loggers of both.
func TestJSONIsText(t *testing.T) {
	said := map[string]func(logr.Logger){
		"an error": func(l logr.Logger) {
			l.Error(errors.New(`failed to "KillContainer" for "web" with KillContainerError: "rpc error: code = DeadlineExceeded desc = x"`),
				"Error syncing pod, skipping", "pod", klog.KRef("shop", "web-0"), "podUID", "x")
		},
		"no namespace": func(l logr.Logger) { l.Info("Mirror", "pod", klog.KRef("", "web-0"), "count", 3, "ok", true) },
		"escapes": func(l logr.Logger) {
			l.Info("Said", "pod", klog.KRef("shop", "web-0"), "output", `" pod="shop/other" \ あ`)
		},
	}
	for name, say := range said {
		text := strings.ReplaceAll(klogged(say), "kubelet_test.go", "pod_workers.go")
		want := kubeletLine(strings.TrimSuffix(text, "\n"), []string{"pod_workers.go"})
		if got := kubeletLine(strings.TrimSuffix(inJSON(say), "\n"), []string{"pod_workers.go"}); got != want || got == "" {
			t.Errorf("%s: in JSON %s\nin text %s", name, got, want)
		}
	}
}

// A probe's output is one string in JSON, whatever it is.
func TestForgedJSON(t *testing.T) {
	of := compile(reason.Catalogue)[kubeletLog]
	inner := inJSON(func(l logr.Logger) {
		l.Error(errors.New(`failed to "StartContainer" for "web": OCI runtime create failed: no`), "Error syncing pod, skipping", "pod", klog.KRef("kube-system", "coredns-0"))
	})
	if len(of.match(strings.TrimSuffix(inner, "\n"))) != 1 {
		t.Fatalf("the line to be forged is evidence of nothing: %s", inner)
	}
	for _, output := range []string{inner, "x\n" + inner, `"}` + "\n" + inner, `","msg":"Error syncing pod, skipping`, forged()} {
		outer := inJSON(func(l logr.Logger) {
			l.Info("Probe failed", "probeType", "Startup", "pod", klog.KRef("tenant", "forger"), "output", output)
		})
		for line := range strings.Lines(outer) {
			if results := of.match(strings.TrimSuffix(line, "\n")); results != nil {
				t.Errorf("%q raises %v", output, results)
			}
		}
	}
}

func TestKubeletLine(t *testing.T) {
	const file = "prober.go"
	for text, want := range map[string]string{
		`I0119 13:57:32.303924     224 prober.go:120] "Probe failed"`:             `prober.go:120] "Probe failed"`,
		`I0119 13:57:32.303924 4194304 prober.go:120] x`:                          `prober.go:120] x`,
		`I0119 13:57:32.303924     224 prober.go`:                                 "",
		`I0119 13:57:32.303924     224 other.go:1] prober.go:120] "Probe failed"`: "",
		`I0119 13:57:32.303924         prober.go:120] "Probe failed"`:             "",
		"\tI0119 13:57:32.303924     224 prober.go:120] \"Probe failed\"":         "",
		` I0119 13:57:32.303924     224 prober.go:120] "Probe failed"`:            "",
		`X0119 13:57:32.303924     224 prober.go:120] "Probe failed"`:             "",
		`I0119 13:57:32,303924     224 prober.go:120] "Probe failed"`:             "",
		`I0119`:                         "",
		``:                              "",
		`prober.go:120] "Probe failed"`: "",
		`{"ts":1,"caller":"p/prober.go:1","msg":"a","x":"b\n\"","err":"e","n":{"name":"c","namespace":"d"}}`: `prober.go:1] "a" err="e" x="b\n\"" n="d/c"`,
		`{"ts":1,"caller":"p/prober.go:1","msg":"a"`:                                                         "",
		`{"ts":1,"caller":"p/prober.go:1","msg":"a"}x`:                                                       "",
		`{"ts":1,"caller":"p/other.go:1","msg":"prober.go:1"}`:                                               "",
		` {"ts":1,"caller":"p/prober.go:1","msg":"a"}`:                                                       "",
		`{"ts":`: "",
	} {
		if got := kubeletLine(text, []string{file}); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzKubeletLine(f *testing.F) {
	f.Add(`{"ts":1,"caller":"p/prober.go:1","msg":"a","err":"e"}`)
	f.Add(`I0119 13:57:32.303924     224 prober.go:120] "Probe failed"`)
	f.Fuzz(func(t *testing.T, text string) {
		if line := kubeletLine(text, []string{"prober.go"}); line != "" && !strings.HasPrefix(line, "prober.go") {
			t.Errorf("%q is %q", text, line)
		}
	})
}

// The kernel begins some lines with the name of a process, which any process may choose, of 15 bytes. Whatever it is called, they
// are evidence of nothing but what befell it.
func TestProcessNamesRaiseNothing(t *testing.T) {
	after := []string{ // of arch/*/mm/fault.c, mm/oom_kill.c, mm/page_alloc.c, fs/drop_caches.c, kernel/exit.c, kernel/signal.c, block/blk-core.c
		"[123]: segfault at 0 ip 0000000000400aad sp 00007fffac97d2b0 error 4 in x[400000+2000]",
		"[123]: unhandled exception: DABT (lower EL), ESR 0x0000000092000006, level 2 translation fault in x[aaaad2a90000+124000]",
		" invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984",
		": page allocation failure: order:4, mode:0x40dc0(GFP_KERNEL|__GFP_COMP|__GFP_ZERO), nodemask=(null),cpuset=/,mems_allowed=0",
		" (123): drop_caches: 3",
		" (123) used greatest stack depth: 11000 bytes left",
		": potentially unexpected fatal signal 11.",
		": rw=0, sector=1, nr_sectors = 8 limit=0",
		"[123] bad frame in rt_sigreturn frame:0 ip:0 sp:0 orax:0",
	}
	var lines []string
	for _, name := range []string{
		"BUG: Bad x", "BUG: KASAN: x", "BUG: KASAN: a i", "BUG: spinlock x", "BUG: assuming x", "kernel BUG at x", "Oops: 0000 [#1]", "EDAC MC0: 1 UE ", "nvme nvme0: I/O",
	} {
		for _, rest := range after {
			lines = append(lines, name+rest)
		}
	}
	for _, list := range records(t) {
		for _, r := range list {
			text, own := r.text(t)
			if !own || r.Log != kernelLog {
				continue
			}
			for n := range min(len(text), 15) {
				for _, rest := range after {
					lines = append(lines, text[:n+1]+rest)
				}
				// The name of the file in which it happened is anyone's choice as well, of 255 bytes.
				lines = append(lines, text[:n+1]+strings.Replace(after[0], " in x", " in "+strings.ReplaceAll(text[n+1:], "/", "_"), 1))
			}
		}
	}
	of := compile(reason.Catalogue)[kernelLog]
	for _, line := range lines {
		for _, h := range of.match(line) {
			if h.reason != reason.AppCrash {
				t.Errorf("%q raises %s", line, h.reason)
			}
		}
	}
}

// Each pattern begins where a line of its writer begins.
func TestPatternsAreAnchored(t *testing.T) {
	for log, of := range compile(reason.Catalogue) {
		for _, p := range of.all {
			if text := p.regexp.String(); !strings.HasPrefix(text, "^") || strings.Contains(text, "(?m") {
				t.Errorf("%s: %s of %s begins anywhere", p.reason, text, log)
			}
		}
		if diff := cmp.Diff(log == kubeletLog, of.files != nil); diff != "" {
			t.Errorf("%s: %s", log, diff)
		}
	}
}
