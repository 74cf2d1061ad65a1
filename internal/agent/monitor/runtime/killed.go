package runtime

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/cgroup"
)

// process is one of a pod's that was killed and has not ended.
type process struct {
	pid, command, pod string
	// wait is the kernel's function in which it waits, if that may be read.
	wait string
}

func (p process) String() string {
	said := fmt.Sprintf("process %s (%s) was killed and does not end: the kernel waits on its behalf", p.pid, p.command)
	if p.wait != "" && p.wait != "0" {
		said += " in " + p.wait
	}
	return said
}

// killed finds the processes of pods that were killed and do not end. Only a task in uninterruptible sleep (state D) does
// not; the first of a process's threads, which is what /proc lists, is by then a zombie if it was another one that waits.
func killed(h host.Host) ([]process, error) {
	folder, err := os.Open(h.Path("/proc"))
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer folder.Close()
	names, err := folder.Readdirnames(0)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var found []process
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		if p, is := waiting(folder.Name() + "/" + name); is {
			p.pid = name
			found = append(found, p)
		}
	}
	return found, nil
}

// waiting says whether a process is in a pod, was killed, and waits in the kernel. It is false if the process has ended.
func waiting(folder string) (process, bool) {
	var buffer [1024]byte
	line, err := read(folder+"/stat", buffer[:])
	if err != nil || !mayWait(line) {
		return process{}, false
	}
	s, err := parseStat(string(line))
	if err != nil || s.state != 'D' && s.threads < 2 {
		return process{}, false
	}
	groups, err := os.ReadFile(folder + "/cgroup")
	if err != nil {
		return process{}, false
	}
	pod, _ := cgroup.Pod(string(groups))
	p := process{command: s.command, pod: pod}
	if p.pod == "" {
		return process{}, false
	}
	tasks, err := os.ReadDir(folder + "/task")
	if err != nil {
		return process{}, false
	}
	for _, task := range tasks {
		at := folder + "/task/" + task.Name()
		s, err := readStat(at)
		if err != nil || s.state != 'D' || !s.exiting && !pendingKill(at) {
			continue
		}
		wait, _ := os.ReadFile(at + "/wchan")
		p.wait = string(wait)
		return p, true
	}
	return process{}, false
}

// mayWait says whether the state in a stat line may be that of such a process. Nearly all processes are in another.
func mayWait(line []byte) bool {
	end := bytes.LastIndex(line, []byte(") "))
	return end >= 0 && end+2 < len(line) && (line[end+2] == 'D' || line[end+2] == 'Z')
}

// read reads a small file of /proc with one system call. os.ReadFile would cost more than all the rest of a look.
func read(path string, into []byte) ([]byte, error) {
	file, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(file)
	n, err := unix.Read(file, into)
	return into[:max(n, 0)], err
}

// stat is what is read of /proc/PID/stat (proc_pid_stat(5)): fields 2, 3, 9 and 20.
type stat struct {
	command string
	state   byte
	exiting bool
	threads int
}

// pfExiting is PF_EXITING of include/linux/sched.h: the task is ending.
const pfExiting = 0x4

func readStat(folder string) (stat, error) {
	line, err := os.ReadFile(folder + "/stat")
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(line))
}

// parseStat reads a line of /proc/PID/stat. The command is in parentheses and may hold any.
func parseStat(line string) (stat, error) {
	_, rest, opened := strings.Cut(line, " (")
	end := strings.LastIndex(rest, ") ")
	if !opened || end < 0 {
		return stat{}, fmt.Errorf("not a line of /proc/PID/stat: %.40q", line)
	}
	fields := strings.Fields(rest[end+2:]) // the first is field 3
	if len(fields) < 18 {
		return stat{}, fmt.Errorf("a line of /proc/PID/stat with %d fields", len(fields)+2)
	}
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	if err != nil {
		return stat{}, fmt.Errorf("the flags of /proc/PID/stat: %w", err)
	}
	threads, err := strconv.Atoi(fields[17])
	if err != nil {
		return stat{}, fmt.Errorf("num_threads of /proc/PID/stat: %w", err)
	}
	return stat{command: rest[:end], state: fields[0][0], exiting: flags&pfExiting != 0, threads: threads}, nil
}

// pendingKill says that a task was sent SIGKILL and has not taken it, by SigPnd and ShdPnd of its status (man 5 proc).
func pendingKill(folder string) bool {
	status, err := os.ReadFile(folder + "/status")
	return err == nil && killPending(status)
}

// sigkill is SIGKILL in a mask of signals.
const sigkill = 1 << (9 - 1)

func killPending(status []byte) bool {
	for line := range bytes.Lines(status) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "SigPnd" && string(name) != "ShdPnd" {
			continue
		}
		mask, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 16, 64)
		if err == nil && mask&sigkill != 0 {
			return true
		}
	}
	return false
}
