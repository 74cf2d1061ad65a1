package kernel

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Where the kernel does not report tasks that wait, they are looked for; where it does, its lines tell.
func TestBlockedWhereTheKernelIsSilent(t *testing.T) {
	const fault, unread, well = "Fault postgres", "Unreadable ", "Readable "
	waiting := task{pid: 100, tid: 104, name: "postgres", cgroup: "0::/kubepods.slice/x\n", state: "D", start: 5, ran: 9, wchan: "xfs_log_commit"}
	last := func(change func(*task)) []task {
		k := waiting
		change(&k)
		return []task{waiting, waiting, k}
	}
	always := func(wchan string) []task {
		k := waiting
		k.wchan = wchan
		return []task{k, k, k}
	}
	for name, tc := range map[string]struct {
		timeout, warnings string
		looks             []task
		want              []string // of the last look
	}{
		"off":                          {"0\n", "10\n", []task{waiting, waiting, waiting}, []string{fault, well}},
		"spent":                        {"120\n", "0\n", []task{waiting, waiting, waiting}, []string{fault, well}},
		"a kernel without":             {"", "", []task{waiting, waiting, waiting}, []string{fault, well}},
		"for less than two minutes":    {"0\n", "10\n", []task{waiting, waiting}, []string{well}},
		"ran meanwhile":                {"0\n", "10\n", last(func(k *task) { k.ran++ }), []string{well}},
		"another task of that ID":      {"0\n", "10\n", last(func(k *task) { k.start++ }), []string{well}},
		"a server is away":             {"0\n", "10\n", always("rpc_wait_bit_killable"), []string{well}},
		"frozen":                       {"0\n", "10\n", always("__refrigerator"), []string{well}},
		"where is not to be known":     {"0\n", "10\n", always("0"), []string{unread}},
		"the kernel reports":           {"120\n", "10\n", []task{waiting, waiting, waiting}, nil},
		"the kernel reports, for ever": {"120\n", "-1\n", []task{waiting, waiting, waiting}, nil},
		"nobody knows what it does":    {"strange", "10\n", []task{waiting}, []string{unread}},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			if tc.timeout != "" {
				write(t, filepath.Join(h.Root, "proc/sys/kernel/hung_task_timeout_secs"), tc.timeout)
				write(t, filepath.Join(h.Root, "proc/sys/kernel/hung_task_warnings"), tc.warnings)
			}
			monitors := Monitors(h, DefaultOptions())
			var got []string
			for _, k := range tc.looks {
				first := k
				first.tid, first.state = k.pid, "S"
				first.put(t, h)
				k.put(t, h)
				got = nil
				for _, m := range monitors {
					_ = m.Look(t.Context(), func(e evidence.Evidence) {
						if e.Reason == reason.AppBlocked {
							got = append(got, string(e.State)+" "+e.Entity)
						}
					})
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Once the kernel reports again, what could not be read before is no matter.
func TestKernelReportsAgain(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	timeout := filepath.Join(h.Root, "proc/sys/kernel/hung_task_timeout_secs")
	write(t, filepath.Join(h.Root, "proc/sys/kernel/hung_task_warnings"), "10\n")
	b := &blocked{host: h}
	write(t, timeout, "0\n")
	if _, err := b.find(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, timeout, "120\n")
	if faults, err := b.find(t.Context()); err != nil || faults != nil {
		t.Errorf("says %v, %v", faults, err)
	}
	if _, err := b.find(t.Context()); err == nil {
		t.Error("it goes on telling")
	}
}
