package kernel

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// threads compares the number of threads with the kernel's limits. Each has a PID, so that the lower of both limits is in effect. Since
// Linux 6.14 pid_max is that of the reader's PID namespace: an agent that does not share the host's reads too high a value.
type threads struct {
	host      host.Host
	threshold Percent
}

func (t threads) find(context.Context) ([]evidence.Evidence, error) {
	load, err := fields(t.host, "/proc/loadavg", 4)
	if err != nil {
		return nil, err
	}
	// The fourth word is "running/all" (proc_loadavg(5)); zombies are among them until they are reaped.
	_, all, _ := strings.Cut(load[3], "/")
	used, err := strconv.ParseInt(all, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read /proc/loadavg: %w", err)
	}
	pids, err := number(t.host, "/proc/sys/kernel/pid_max")
	if err != nil {
		return nil, err
	}
	threshold, err := number(t.host, "/proc/sys/kernel/threads-max")
	if err != nil {
		return nil, err
	}
	if !t.threshold.reached(used, min(pids, threshold)) {
		return nil, nil
	}
	raw := fmt.Sprintf("%d threads, kernel.pid_max %d, kernel.threads-max %d", used, pids, threshold)
	return []evidence.Evidence{fault(reason.ApproachingKernelPidMax, "", "/proc/loadavg", raw)}, nil
}
