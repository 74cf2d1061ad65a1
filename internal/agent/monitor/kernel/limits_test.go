package kernel

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func init() {
	actors["threads"] = func(say, next func()) {
		var many int
		_, _ = fmt.Sscan(os.Getenv("NAOSU_KERNEL_MANY"), &many)
		started := make(chan bool)
		for range many {
			go func() {
				runtime.LockOSThread()
				started <- true
				select {}
			}()
		}
		for range many {
			<-started
		}
		say()
		next()
	}
	actors["files"] = func(say, next func()) {
		var many int
		_, _ = fmt.Sscan(os.Getenv("NAOSU_KERNEL_MANY"), &many)
		var open []int
		for range many {
			fd, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0)
			if err != nil {
				panic(err)
			}
			open = append(open, fd)
		}
		say()
		next()
		for _, fd := range open {
			_ = syscall.Close(fd)
		}
		say()
		next()
	}
}

// A process starts threads until the PIDs of its namespace are taken for seven tenths, and ends.
func TestThreadsNearTheirLimit(t *testing.T) {
	if !alone(t) {
		return
	}
	load, err := fields(host.Host{}, "/proc/loadavg", 4)
	if err != nil {
		t.Fatal(err)
	}
	var running, here int
	if _, err := fmt.Sscanf(load[3], "%d/%d", &running, &here); err != nil {
		t.Fatal(err)
	}
	most := 2*here + 600 // Other work on the host is counted, too, and may double meanwhile.
	pidMax(t, most)
	o := DefaultOptions()
	w := watch(t, "threads", o)
	w.Goes(reason.ApproachingKernelPidMax, "")

	t.Setenv("NAOSU_KERNEL_MANY", fmt.Sprint(most*int(o.Threads)/100-here/2))
	p := play(t, "threads")
	p.ready()
	w.Stands(reason.ApproachingKernelPidMax, "")
	p.end()
	w.Goes(reason.ApproachingKernelPidMax, "")
}

// A daemon opens nearly as many files as it may, and closes them.
func TestDaemonNearItsOpenFiles(t *testing.T) {
	g := newGroup(t)
	w := watch(t, "files", DefaultOptions())
	t.Setenv("NAOSU_KERNEL_MANY", "60")
	p := play(t, "files")
	g.take(p.Process.Pid)
	limit := unix.Rlimit{Cur: 80, Max: 80}
	if err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Fatal(err)
	}
	entity := fmt.Sprintf("%s[%d]", p.name, p.Process.Pid)
	p.ready()
	w.Stands(reason.ApproachingMaxOpenFiles, entity)
	p.next()
	p.ready()
	w.Goes(reason.ApproachingMaxOpenFiles, entity)
}

// Processes open files, to a hundredth of what the kernel allows, and end.
func TestOpenFilesNearTheirLimit(t *testing.T) {
	words, err := fields(host.Host{}, "/proc/sys/fs/file-nr", 3)
	if err != nil {
		t.Fatal(err)
	}
	var used, limit int
	if _, err := fmt.Sscan(words[0]+" "+words[2], &used, &limit); err != nil {
		t.Fatal(err)
	}
	var own syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &own); err != nil {
		t.Fatal(err)
	}
	each := int(min(own.Cur, 20_000)) - 500
	want := limit/100 - used + limit/1000
	if want > 10*each || want < limit/200 {
		t.Skipf("not run: fs.file-nr is %s, of which %d files would be too many or too few to open", strings.Join(words, " "), want)
	}
	o := DefaultOptions()
	o.OpenFiles = 1 // Seven tenths of a million and more would take a GiB.
	w := watch(t, "files", o)
	w.Goes(reason.ApproachingMaxOpenFiles, "")

	t.Setenv("NAOSU_KERNEL_MANY", fmt.Sprint(each))
	var players []*played
	for range want/each + 1 {
		players = append(players, play(t, "files"))
	}
	for _, p := range players {
		p.ready()
	}
	w.Stands(reason.ApproachingMaxOpenFiles, "")
	for _, p := range players {
		p.end()
	}
	w.Goes(reason.ApproachingMaxOpenFiles, "")
}

func TestLimits(t *testing.T) {
	for name, tc := range map[string]struct {
		loadavg, pids, threads, files string
		manyThreads, manyFiles        bool
	}{
		"an idle host": {"0.00 0.01 0.05 1/210 4242", "4194304", "123456", "2048\t0\t9223372036854775807", false, false},
		"busy":         {"250.1 240 200 60/20000 1234567", "4194304", "123456", "900000\t0\t9223372036854775807", false, false},
		"threads-max is lower, though PIDs abound":  {"1 1 1 1/90000 7", "4194304", "123456", "1\t0\t100", true, false},
		"pid_max is lower, as by default it may be": {"1 1 1 1/23000 7", "32768", "192731", "1\t0\t100", true, false},
		"just below": {"1 1 1 1/22937 7", "32768", "192731", "69\t0\t100", false, false},
		"files":      {"1 1 1 1/10 7", "32768", "192731", "70\t0\t100", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			for path, text := range map[string]string{
				"/proc/loadavg": tc.loadavg, "/proc/sys/kernel/pid_max": tc.pids, "/proc/sys/kernel/threads-max": tc.threads, "/proc/sys/fs/file-nr": tc.files,
			} {
				write(t, filepath.Join(h.Root, path), text+"\n")
			}
			found, err := threads{h, 70}.find(context.Background())
			if err != nil || (len(found) > 0) != tc.manyThreads {
				t.Errorf("threads: %v, %v", found, err)
			}
			found, err = files{h, nil, 70}.find(context.Background())
			if err != nil || (len(found) > 0) != tc.manyFiles {
				t.Errorf("files: %v, %v", found, err)
			}
		})
	}
	// What cannot be read is an error, never no fault.
	empty := host.Host{Root: t.TempDir()}
	if _, err := (threads{empty, 70}).find(context.Background()); err == nil {
		t.Error("threads of a host without /proc")
	}
	write(t, filepath.Join(empty.Root, "/proc/sys/fs/file-nr"), "many\t0\t100\n")
	if _, err := (files{empty, nil, 70}).find(context.Background()); err == nil {
		t.Error("files of a strange file-nr")
	}
}

func TestDaemonsFiles(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	put := func(path, text string) { t.Helper(); write(t, filepath.Join(h.Root, path), text) }
	put("proc/sys/fs/file-nr", "5000\t0\t9223372036854775807\n")
	put("sys/fs/cgroup/cgroup.controllers", "pids")
	put("sys/fs/cgroup/runtime.slice/kubelet.service/cgroup.procs", "100\n101\n102\n")
	put("sys/fs/cgroup/kubepods.slice/cgroup.procs", "200\n")
	// A folder of a disk has some size, which is no number of files: the limits are far from it on either side.
	for pid, soft := range map[int]string{100: "1", 101: "1000000000", 200: "1"} {
		dir := fmt.Sprintf("proc/%d/", pid)
		put(dir+"limits", fmt.Sprintf("Limit                     Soft Limit           Hard Limit           Units     \nMax open files            %-20s 1000000000           files     \n", soft))
		put(dir+"comm", "kubelet\n")
		put(dir+"fd/0", "")
	}
	look := files{h, DefaultOptions().Daemons, 70}
	found, err := look.find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compare(t, []string{"ApproachingMaxOpenFiles Fault kubelet[100]"}, found)

	put("sys/fs/cgroup/runtime.slice/kubelet.service/cgroup.procs", "0\n")
	if found, err := look.find(t.Context()); err == nil {
		t.Errorf("an agent that cannot see kubelet's processes finds it well: %v", found)
	}
}

// What the kernel says is the number of this process's open files is what is to be counted.
func TestOpenFilesHere(t *testing.T) {
	const own = "/proc/self/fd"
	names, err := os.ReadDir(own)
	if err != nil {
		t.Fatal(err)
	}
	// Other tests run beside this one, and reading the folder opens it.
	if n, err := openFiles(own); err != nil || n < int64(len(names))/2 || n > int64(len(names))*2 {
		t.Errorf("%d open files, of %d: %v", n, len(names), err)
	}
	text, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if n, err := openLimit(string(text)); err != nil || uint64(n) != limit.Cur {
		t.Errorf("may open %d files, of %d: %v", n, limit.Cur, err)
	}
}

func FuzzOpenLimit(f *testing.F) {
	f.Add("Max open files            1024                 524288               files     \n")
	f.Fuzz(func(t *testing.T, text string) {
		if limit, err := openLimit(text); err == nil && limit > 0 && !strings.Contains(text, "Max open files") {
			t.Errorf("%q is limit %d", text, limit)
		}
	})
}

func TestReached(t *testing.T) {
	if Percent(70).reached(math.MaxInt64/2, math.MaxInt64) || !Percent(70).reached(math.MaxInt64, math.MaxInt64) || Percent(1).reached(5, 0) {
		t.Error("shares of the largest limit, or of none")
	}
}
