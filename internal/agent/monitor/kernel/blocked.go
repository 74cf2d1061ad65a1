package kernel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// blocked looks for tasks that are blocked in the kernel (state D), where the kernel's own detector of hung tasks is off.
type blocked struct {
	host host.Host
	// waits are the tasks that the last look found blocked, by the path of the task.
	waits       map[string]blockedTask
	detectorOff bool
}

type blockedTask struct {
	wait
	looks int
}

// blockedLooks is how many looks in a row must find a task blocked. Three, a minute apart, take two minutes, as the kernel's detector does.
const blockedLooks = 3

func (b *blocked) find(context.Context) ([]evidence.Evidence, error) {
	why, err := whyDetectorOff(b.host)
	if err != nil {
		return nil, err
	}
	was := b.detectorOff
	if b.detectorOff = why != ""; !b.detectorOff {
		b.waits = nil
		if was {
			return nil, nil
		}
		return nil, monitor.ErrReportedElsewhere
	}
	now := map[string]blockedTask{}
	var faults []evidence.Evidence
	err = walk(b.host.Path("/proc"), func(p process) {
		if p.threads > 1 || p.state == 'D' {
			faults = append(faults, b.tasks(strconv.Itoa(p.pid), why, now)...)
		}
	})
	b.waits = now
	return faults, err
}

// tasks are the threads of a process that have been blocked for blockedLooks; all that are blocked are added to now.
func (b *blocked) tasks(pid, why string, now map[string]blockedTask) (faults []evidence.Evidence) {
	folder := "/proc/" + pid + "/task"
	tasks, err := os.ReadDir(b.host.Path(folder))
	if err != nil {
		return nil // It has ended.
	}
	for _, task := range tasks {
		at := b.host.Path(folder + "/" + task.Name())
		name, start, waits := readWait(at)
		if !waits {
			continue
		}
		is := blockedTask{wait{start, switches(at)}, 1}
		if before := b.waits[task.Name()]; before.wait == is.wait && is.switches != "" {
			is.looks += before.looks
		}
		if now[task.Name()] = is; is.looks < blockedLooks {
			continue
		}
		switch where, known := waitChannel(at); {
		case !known:
			faults = append(faults, unreadable(reason.AppBlocked, folder, fmt.Sprintf("%s, and where thread %s (%s) waits may not be read (wchan)", why, task.Name(), name)))
		case !killable(where):
			faults = append(faults, fault(reason.AppBlocked, name, folder, fmt.Sprintf("thread %s waits in the kernel, in %s, and has not run for two minutes; %s", task.Name(), where, why)))
		}
	}
	return faults
}

// whyDetectorOff is why the kernel's detector of hung tasks reports none (https://docs.kernel.org/admin-guide/sysctl/kernel.html); empty
// if it reports them.
func whyDetectorOff(h host.Host) (string, error) {
	timeout, err := number(h, "/proc/sys/kernel/hung_task_timeout_secs")
	if errors.Is(err, fs.ErrNotExist) {
		return "the kernel has no detector of hung tasks", nil
	}
	if err != nil {
		return "", err
	}
	if timeout == 0 {
		return "the kernel's detector of hung tasks is off (kernel.hung_task_timeout_secs)", nil
	}
	left, err := number(h, "/proc/sys/kernel/hung_task_warnings")
	if err == nil && left == 0 {
		return "the kernel reports no more hung tasks (kernel.hung_task_warnings)", nil
	}
	return "", err
}
