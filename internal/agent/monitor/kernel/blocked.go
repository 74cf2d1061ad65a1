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

// blocked looks for tasks that wait in the kernel, where the kernel's own detector does not report them.
type blocked struct {
	host host.Host
	// waits are those of the look before, by task, and at how many looks in a row each was found.
	waits map[string]found
	blind bool
}

type found struct {
	wait
	looks int
}

// blockedLooks, a minute apart, take two minutes: what the kernel's detector waits as well.
const blockedLooks = 3

func (b *blocked) find(context.Context) ([]evidence.Evidence, error) {
	why, err := silentDetector(b.host)
	if err != nil {
		return nil, err
	}
	was := b.blind
	if b.blind = why != ""; !b.blind {
		b.waits = nil
		if was {
			return nil, nil
		}
		return nil, monitor.ErrReportedElsewhere
	}
	now := map[string]found{}
	var told []evidence.Evidence
	err = walk(b.host.Path("/proc"), func(p process) {
		if p.threads > 1 || p.state == 'D' {
			told = append(told, b.tasks(strconv.Itoa(p.pid), why, now)...)
		}
	})
	b.waits = now
	return told, err
}

// tasks are the threads of a process that wait as they did at the looks before; all that wait are noted.
func (b *blocked) tasks(pid, why string, now map[string]found) (told []evidence.Evidence) {
	folder := "/proc/" + pid + "/task"
	tasks, err := os.ReadDir(b.host.Path(folder))
	if err != nil {
		return nil // It has ended.
	}
	for _, task := range tasks {
		at := b.host.Path(folder + "/" + task.Name())
		name, start, waits := waitsSince(at)
		if !waits {
			continue
		}
		is := found{wait{start, switches(at)}, 1}
		if before := b.waits[task.Name()]; before.wait == is.wait && is.switches != "" {
			is.looks += before.looks
		}
		if now[task.Name()] = is; is.looks < blockedLooks {
			continue
		}
		switch where, known := waitsIn(at); {
		case !known:
			told = append(told, unreadable(reason.AppBlocked, folder, fmt.Sprintf("%s, and where thread %s (%s) waits may not be read (wchan)", why, task.Name(), name)))
		case !killable(where):
			told = append(told, fault(reason.AppBlocked, name, folder, fmt.Sprintf("thread %s waits in the kernel, in %s, and has not run for two minutes; %s", task.Name(), where, why)))
		}
	}
	return told
}

// silentDetector is why the kernel's detector of hung tasks reports none (https://docs.kernel.org/admin-guide/sysctl/kernel.html); empty
// if it does.
func silentDetector(h host.Host) (string, error) {
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
