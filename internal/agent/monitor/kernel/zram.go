package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// zram compares the memory that zram devices take with the host's.
type zram struct {
	host      host.Host
	threshold Percent
}

func (z zram) find(context.Context) ([]evidence.Evidence, error) {
	devices, _ := filepath.Glob(z.host.Path("/sys/block/zram*")) // The pattern is well-formed.
	memory, err := memTotal(z.host)
	if err != nil {
		return nil, err
	}
	var found []evidence.Evidence
	inUse := false
	for _, device := range devices {
		name := filepath.Base(device)
		text, err := os.ReadFile(filepath.Join(device, "mm_stat"))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
			continue // Removed meanwhile.
		}
		if err != nil {
			return nil, err
		}
		used, err := zramUsed(string(text))
		if err != nil {
			return nil, fmt.Errorf("read mm_stat of %s: %w", name, err)
		}
		inUse = inUse || used > 0
		if z.threshold.reached(used, memory) {
			raw := fmt.Sprintf("mm_stat %s; MemTotal %d kB", strings.Join(strings.Fields(string(text)), " "), memory/1024)
			found = append(found, fault(reason.ZramHighUsage, name, "/sys/block/"+name+"/mm_stat", raw))
		}
	}
	if !inUse {
		return []evidence.Evidence{inapplicable(reason.ZramHighUsage, "/sys/block", "no zram device is in use")}, nil
	}
	return found, nil
}

// zramUsed is the third word of mm_stat, mem_used_total, in bytes: Documentation/admin-guide/blockdev/zram.rst.
func zramUsed(stat string) (int64, error) {
	words := strings.Fields(stat)
	if len(words) < 3 {
		return 0, fmt.Errorf("%w: %q", errFormat, stat)
	}
	return strconv.ParseInt(words[2], 10, 64)
}

// memTotal is the host's memory in bytes.
func memTotal(h host.Host) (int64, error) {
	words, err := fields(h, "/proc/meminfo", 3)
	if err != nil {
		return 0, err
	}
	if words[0] != "MemTotal:" || words[2] != "kB" {
		return 0, fmt.Errorf("read /proc/meminfo: %w: %q", errFormat, words[:3])
	}
	kibibytes, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read /proc/meminfo: %w", err)
	}
	return kibibytes * 1024, nil
}
