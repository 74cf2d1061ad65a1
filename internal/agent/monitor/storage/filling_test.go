package storage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

const gib = 1 << 30

// history is what a filesystem of 100 GiB holds at a minute, in percent. What it does not say is 10 %.
type history struct{ bytes, inodes func(minute float64) float64 }

// told are the first minutes of looks that found something else than the one before: "65 Fault", "0 Unreadable".
func (h history) told(t *testing.T, minutes int, node host.Host, size func(minute int) uint64) (told []string, last string) {
	t.Helper()
	of := func(percent func(float64) float64, minute int, all uint64) capacity {
		used := uint64(0.1 * float64(all))
		if percent != nil {
			used = uint64(percent(float64(minute)) * gib)
		}
		return capacity{all: all, used: used, free: all - used}
	}
	start := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	now := clocktesting.NewFakePassiveClock(start)
	m := newFilling(node, DefaultOptions())
	m.clock = now
	m.measure = func(filesystem) (usage, error) {
		minute := int(now.Now().Sub(start).Minutes())
		u := usage{bytes: of(h.bytes, minute, size(minute))}
		u.inodes = of(h.inodes, minute, 100*gib)
		return u, nil
	}
	for minute := 0; minute < minutes; minute += 5 {
		now.SetTime(start.Add(time.Duration(minute) * time.Minute))
		found, err := m.find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		state := "Well"
		for _, e := range found {
			if e.Reason != reason.FilesystemFillingUp || e.State == evidence.Fault && e.Entity != "/" {
				t.Fatalf("it tells %+v", e)
			}
			state = string(e.State)
			if last = e.Raw; e.State == evidence.Fault {
				break
			}
		}
		if len(told) == 0 || !strings.HasSuffix(told[len(told)-1], state) {
			told = append(told, fmt.Sprintf("%d %s", minute, state))
		}
	}
	return told, last
}

// fillingHost is a host of one disk, whose kubelet has a configuration; none is no kubelet.
func fillingHost(t *testing.T, config string) host.Host {
	t.Helper()
	group := agenttest.KubeletGroup
	if config == "" {
		group = "0::/other\n"
	}
	h := agenttest.KubeletHost(t, group, []string{"--config=/c"}, map[string]string{"/c": config})
	if err := os.WriteFile(h.Path(mountinfo), []byte("24 1 259:1 / / rw,noatime shared:1 - ext4 /dev/nvme0n1p1 rw\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

func same(int) uint64 { return 100 * gib }

func TestFilling(t *testing.T) {
	grows := func(from, each float64) func(float64) float64 {
		return func(minute float64) float64 { return min(from+each*minute/60, 100) }
	}
	noise := rand.New(rand.NewPCG(1, 2))
	// saw rises from low to high in so many minutes, and is cleaned.
	saw := func(low, high, period float64) func(float64) float64 {
		return func(minute float64) float64 {
			teeth := minute / period
			return low + (high-low)*(teeth-float64(int(teeth)))
		}
	}
	const usual = `{"evictionHard": null}`
	const hour = 60
	for name, tc := range map[string]struct {
		history
		config  string
		minutes int
		want    []string
		says    string
	}{
		"nothing happens":            {history{}, usual, 6 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"20 % an hour":               {history{bytes: grows(10, 20)}, usual, 2 * hour, []string{"0 Unreadable", "60 Fault"}, "full in 2h35m"},
		"full when it is known":      {history{bytes: grows(80, 40)}, "", 2 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"5 % an hour":                {history{bytes: grows(50, 5)}, usual, 5 * hour, []string{"0 Unreadable", "60 Well", "240 Fault"}, ""},
		"the kubelet says it":        {history{bytes: grows(50, 20)}, usual, 3 * hour, []string{"0 Unreadable", "60 Fault", "105 Well"}, ""},
		"the kubelet says it later":  {history{bytes: grows(50, 20)}, `evictionHard: {nodefs.available: "5%", memory.available: 100Mi}`, 150, []string{"0 Unreadable", "60 Fault", "135 Well"}, ""},
		"below an amount":            {history{bytes: grows(50, 20)}, `evictionHard: {imagefs.available: 20Gi}`, 150, []string{"0 Unreadable", "60 Fault", "90 Well"}, ""},
		"it evicts for nothing":      {history{bytes: grows(50, 20)}, `evictionHard: {}`, 145, []string{"0 Unreadable", "60 Fault"}, "full in 10m"},
		"no kubelet":                 {history{bytes: grows(50, 20)}, "", 145, []string{"0 Unreadable", "60 Fault"}, "full in 10m"},
		"a broken configuration":     {history{bytes: grows(50, 20)}, "{", 3 * hour, []string{"0 Unreadable", "60 Fault", "105 Well"}, ""},
		"inodes":                     {history{inodes: grows(10, 20)}, usual, 2 * hour, []string{"0 Unreadable", "60 Fault"}, "out of inodes in 2h35m"},
		"inodes, said by kubelet":    {history{inodes: grows(60, 20)}, usual, 2 * hour, []string{"0 Unreadable", "60 Fault", "105 Well"}, ""},
		"images are pulled":          {history{bytes: func(m float64) float64 { return 10 + min(m, 20)*3 }}, usual, 6 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"pulled after a while":       {history{bytes: func(m float64) float64 { return 10 + max(min(m-90, 30), 0)*2 }}, usual, 6 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"noise":                      {history{bytes: func(float64) float64 { return 70 + 5*noise.Float64() }}, usual, 72 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"noise that is cleaned":      {history{bytes: func(float64) float64 { return 60 + 20*noise.Float64() }}, usual, 72 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"less and less":              {history{bytes: grows(80, -5)}, usual, 6 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"logs are rotated":           {history{bytes: saw(70, 72, 10)}, usual, 48 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"logs, half an hour":         {history{bytes: saw(70, 78, 30)}, usual, 48 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"logs, an hour":              {history{bytes: saw(70, 80, 60)}, usual, 48 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"images are collected":       {history{bytes: saw(78, 84, 70)}, usual, 72 * hour, []string{"0 Unreadable", "60 Fault", "70 Well"}, ""},   // Only the first, which nothing was seen to clean up; it is over before it stands.
		"collected, three hours":     {history{bytes: saw(60, 84, 172)}, usual, 96 * hour, []string{"0 Unreadable", "60 Fault", "175 Well"}, ""}, // Nor is it known at the first that something will clean up.
		"collected for the 1st time": {history{bytes: saw(60, 85, 55)}, usual, 72 * hour, []string{"0 Unreadable", "60 Well"}, ""},
		"a saw that rises":           {history{bytes: func(m float64) float64 { return 30 + 8*m/60 + saw(0, 3, 30)(m) }}, usual, 6 * hour, []string{"0 Unreadable", "60 Well", "145 Fault", "150 Well", "170 Fault", "190 Well", "195 Fault"}, ""},
		"cleaned up, and higher":     {history{bytes: func(m float64) float64 { return grows(30, 10)(m) - 15*float64(min(int(m)/120, 1)) }}, usual, 6 * hour, []string{"0 Unreadable", "60 Well", "65 Fault", "120 Well", "225 Fault"}, ""},
		"btrfs without inodes":       {history{bytes: grows(10, 20), inodes: func(float64) float64 { return 0 }}, usual, 2 * hour, []string{"0 Unreadable", "60 Fault"}, "full in"},
	} {
		t.Run(name, func(t *testing.T) {
			told, last := tc.told(t, tc.minutes, fillingHost(t, tc.config), same)
			if fmt.Sprint(told) != fmt.Sprint(tc.want) || !strings.Contains(last, tc.says) {
				t.Errorf("%q, want %q\nlast: %s", told, tc.want, last)
			}
		})
	}
}

// What is measured begins anew where it is of another disk, of another size, or of a clock that was put back.
func TestFillingBeginsAnew(t *testing.T) {
	grows := history{bytes: func(minute float64) float64 { return 10 + minute/3 }}
	for name, tc := range map[string]struct {
		size func(minute int) uint64
		want []string
	}{
		"as it is":            {same, []string{"0 Unreadable", "60 Fault"}},
		"larger":              {func(minute int) uint64 { return []uint64{100 * gib, 200 * gib}[min(minute/90, 1)] }, []string{"0 Unreadable", "60 Fault", "90 Unreadable", "150 Well", "210 Fault"}},
		"smaller":             {func(minute int) uint64 { return []uint64{100 * gib, 70 * gib}[min(minute/90, 1)] }, []string{"0 Unreadable", "60 Fault", "90 Unreadable", "150 Well"}}, // The kubelet speaks by then.
		"larger all the time": {func(minute int) uint64 { return uint64(100+minute) * gib }, []string{"0 Unreadable"}},
	} {
		t.Run(name, func(t *testing.T) {
			if told, last := grows.told(t, 225, fillingHost(t, "{}"), tc.size); fmt.Sprint(told) != fmt.Sprint(tc.want) {
				t.Errorf("%q, want %q\nlast: %s", told, tc.want, last)
			}
		})
	}
	tr := trend{cleanupDrop: gib}
	at := func(minute int) time.Time { return time.Unix(int64(minute)*60, 0) }
	for minute := 0; minute <= 60; minute += 5 {
		tr.add(sample{at(1000 + minute), uint64(minute) * gib})
	}
	if !tr.known() || tr.rate() < 0.9*gib/60 || tr.rate() > 1.1*gib/60 {
		t.Errorf("a GiB a minute is a rate of %v", tr.rate()*60/gib)
	}
	tr.add(sample{at(30), 61 * gib})
	if tr.known() || tr.rate() != 0 {
		t.Errorf("a clock that was put back: %+v", tr)
	}
	for minute := 30; minute <= 90; minute += 5 {
		tr.add(sample{at(minute), uint64(minute) * gib})
	}
	if !tr.known() || tr.rate() < 0.9*gib/60 {
		t.Errorf("an hour after a clock was put back: %+v", tr)
	}
}

// A disk that does not answer, and one that is read-only.
func TestFillingOfSickDisks(t *testing.T) {
	h := fillingHost(t, "{}")
	m := newFilling(h, DefaultOptions())
	now := clocktesting.NewFakePassiveClock(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	m.clock = now
	sick := func(look int) bool { return look == 0 || look == 5 }
	for look := range 15 {
		m.measure = func(filesystem) (usage, error) {
			if sick(look) {
				return usage{}, errNotVisible
			}
			return usage{bytes: capacity{all: 100, free: 100}}, nil
		}
		found, err := m.find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case sick(look) && (len(found) != 1 || found[0].State != evidence.Unreadable || !strings.Contains(found[0].Raw, "/: not to be seen")):
			t.Errorf("a disk that does not answer: %+v", found)
		case look == 14 && len(found) > 0:
			t.Errorf("an hour later, in which it once did not answer: %+v", found)
		}
		now.SetTime(now.Now().Add(sampleInterval))
	}
	if err := os.WriteFile(h.Path(mountinfo), []byte("24 1 259:1 / / ro shared:1 - ext4 /dev/nvme0n1p1 ro\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := m.find(t.Context()); err != nil || len(found) != 1 || found[0].State != evidence.Inapplicable {
		t.Errorf("%+v, %v", found, err)
	}
}

// A real filesystem fills up with files, and is cleaned up, runs out of inodes, and is made larger.
func TestFilesystemFillingUp(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "mkfs.ext4", "e2fsck", "resize2fs", "losetup")
	if !agenttest.Alone(t) {
		return
	}
	d := fillingDisk(t)
	m := newFilling(host.Host{}, Options{Folders: []Path{Path(d.at)}, Filling: DefaultOptions().Filling})
	now := clocktesting.NewFakePassiveClock(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
	m.clock = now
	looks := func(count int, each func(int)) (last evidence.Evidence) {
		for i := range count {
			each(i)
			found, err := m.find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if last = (evidence.Evidence{State: evidence.Well}); len(found) > 0 {
				last = found[0]
			}
			now.SetTime(now.Now().Add(sampleInterval))
		}
		return last
	}
	if got := looks(13, func(int) {}); got.State != evidence.Well {
		t.Errorf("a disk that nobody writes to: %+v", got)
	}
	if got := looks(25, func(i int) { d.write(fmt.Sprint("log", i), 1<<20) }); got.State != evidence.Fault || !strings.Contains(got.Raw, "full in ") || got.Entity != d.at {
		t.Errorf("a MiB every five minutes: %+v", got)
	}
	if got := looks(1, func(int) { d.remove("log") }); got.State != evidence.Well {
		t.Errorf("cleaned up: %+v", got)
	}
	files := func(i int) {
		for j := range 300 {
			d.write(fmt.Sprint("file", i, "-", j), 0)
		}
	}
	if got := looks(25, files); got.State != evidence.Fault || !strings.Contains(got.Raw, "out of inodes in ") {
		t.Errorf("300 files every five minutes: %+v", got)
	}
	d.enlarge(128 << 20)
	if got := looks(1, func(int) {}); got.State != evidence.Unreadable {
		t.Errorf("made larger: %+v", got)
	}
	if got := looks(25, func(int) {}); got.State != evidence.Well {
		t.Errorf("larger, and nobody writes to it: %+v", got)
	}
}

// loopDisk is an ext4 in a file.
type loopDisk struct {
	t                 *testing.T
	image, device, at string
}

func fillingDisk(t *testing.T) loopDisk {
	t.Helper()
	d := loopDisk{t: t, image: filepath.Join(t.TempDir(), "image"), at: "/mnt/data"}
	d.run("truncate", "-s", "64M", d.image)
	d.run("mkfs.ext4", "-q", "-N", "12000", d.image)
	d.device = strings.TrimSpace(d.run("losetup", "--find", "--show", d.image))
	t.Cleanup(func() { d.run("losetup", "--detach", d.device) })
	if err := os.MkdirAll(d.at, 0o755); err != nil {
		t.Fatal(err)
	}
	d.run("mount", d.device, d.at)
	t.Cleanup(func() { d.run("umount", d.at) })
	return d
}

func (d loopDisk) run(name string, args ...string) string {
	d.t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(d.t.Context()), name, args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (d loopDisk) write(name string, size int) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.at, name), make([]byte, size), 0o600); err != nil {
		d.t.Fatal(err)
	}
	if size > 0 {
		d.run("sync", "-f", d.at) // Until then it is not known how much room it takes.
	}
}

func (d loopDisk) remove(prefix string) {
	d.t.Helper()
	files, _ := filepath.Glob(filepath.Join(d.at, prefix+"*"))
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			d.t.Fatal(err)
		}
	}
	d.run("sync", "-f", d.at)
}

func (d loopDisk) enlarge(size int64) {
	d.t.Helper()
	if err := os.Truncate(d.image, size); err != nil {
		d.t.Fatal(err)
	}
	d.run("umount", d.at) // While it is mounted the kernel wants a right that a sandbox may not have.
	d.run("losetup", "--set-capacity", d.device)
	d.run("e2fsck", "-fy", d.device)
	d.run("resize2fs", d.device)
	d.run("mount", d.device, d.at)
}
