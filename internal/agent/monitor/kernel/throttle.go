package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// throttle reads how often CPUs were throttled for their temperature since the last look. Intel's count it (thermal_throttle in
// Documentation/ABI/testing/sysfs-devices-system-cpu); the kernel logs a part of it.
type throttle struct {
	host host.Host
	// before are the counters of the last look, by their path.
	before map[string]int64
}

func (t *throttle) find(context.Context) ([]evidence.Evidence, error) {
	counters, _ := filepath.Glob(t.host.Path("/sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count")) // The pattern is well-formed.
	if len(counters) == 0 {
		return []evidence.Evidence{inapplicable(reason.ThermalThrottling, "/sys/devices/system/cpu", "no CPU counts how often it is throttled")}, nil
	}
	now := map[string]int64{}
	most, worst, throttled := int64(0), "", 0
	for _, counter := range counters {
		path := hostPath(t.host, counter)
		n, err := number(t.host, path)
		if errors.Is(err, os.ErrNotExist) {
			continue // The CPU was taken away.
		}
		if err != nil {
			return nil, err
		}
		now[path] = n
		before, known := t.before[path]
		more := n - before
		if !known || more <= 0 {
			continue
		}
		throttled++
		if more > most {
			most, worst = more, path
		}
	}
	t.before = now
	if throttled == 0 {
		return nil, nil
	}
	raw := fmt.Sprintf("%d more events of %s since the last look, the most of %d counters that rose", most, counterName(worst), throttled)
	return []evidence.Evidence{fault(reason.ThermalThrottling, "", worst, raw)}, nil
}

// counterName is "cpu3 core_throttle_count" of such a path.
func counterName(path string) string {
	return strings.Replace(strings.TrimPrefix(path, "/sys/devices/system/cpu/"), "/thermal_throttle/", " ", 1)
}
