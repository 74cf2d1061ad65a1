package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// tick is the unit of times in /proc/PID/stat: USER_HZ is 100 on all that Kubernetes runs on.
const tick = 10 * time.Millisecond

// delays finds processes that wait long for disks. The kernel shows that of a process's first thread only.
type delays struct {
	host    host.Host
	options IODelays
	// waited is how long each process had waited at the last look; those that never did are left out.
	waited map[process]time.Duration
}

// process is identified by PID and start, because PIDs are reused.
type process struct{ pid, start string }

func (d *delays) find(ctx context.Context) ([]evidence.Evidence, error) {
	// Since Linux 5.14 the kernel counts only where it is told to (Documentation/accounting/delay-accounting.rst).
	if setting, err := os.ReadFile(d.host.Path("/proc/sys/kernel/task_delayacct")); err == nil && strings.TrimSpace(string(setting)) == "0" {
		return []evidence.Evidence{{Reason: reason.IODelays, State: evidence.Inapplicable, Raw: "kernel.task_delayacct is 0"}}, nil
	}
	folder := d.host.Path("/proc")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	before := d.waited
	d.waited = map[process]time.Duration{}
	var found []evidence.Evidence
	for _, entry := range entries {
		if name := entry.Name(); name[0] < '1' || name[0] > '9' {
			continue
		}
		line, err := os.ReadFile(folder + "/" + entry.Name() + "/stat")
		if err != nil {
			continue // It has ended.
		}
		command, who, waited, err := parseStat(string(line))
		if err != nil {
			return nil, err
		}
		if waited == 0 {
			continue
		}
		d.waited[who] = waited
		earlier, known := before[who]
		if !known && before == nil {
			continue // At the first look there is no period yet.
		}
		if more := waited - earlier; more > d.options.Most {
			found = append(found, evidence.Evidence{
				Reason: reason.IODelays, State: evidence.Fault, Entity: fmt.Sprintf("%s[%s]", command, who.pid),
				Raw: fmt.Sprintf("waited %v for disks since the last look", more),
			})
		}
	}
	return found, ctx.Err()
}

// parseStat reads name, identity and delayacct_blkio_ticks of a line of /proc/PID/stat (man 5 proc: fields 1, 2, 22, 42).
// The name is in parentheses and may hold any.
func parseStat(line string) (command string, who process, waited time.Duration, err error) {
	pid, rest, opened := strings.Cut(line, " (")
	end := strings.LastIndex(rest, ") ")
	if !opened || end < 0 {
		return "", process{}, 0, fmt.Errorf("not a line of /proc/PID/stat: %.40q", line)
	}
	fields := strings.Fields(rest[end+2:]) // the first is field 3
	if len(fields) < 40 {
		return "", process{}, 0, errors.New("/proc/PID/stat has no delayacct_blkio_ticks")
	}
	ticks, err := strconv.ParseUint(fields[39], 10, 40) // 348 years
	if err != nil {
		return "", process{}, 0, fmt.Errorf("delayacct_blkio_ticks of /proc/%s/stat: %w", pid, err)
	}
	return rest[:end], process{pid: pid, start: fields[19]}, time.Duration(ticks) * tick, nil
}
