package logs

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// witnesses are, for reasons of the catalogue that take one, what must show the same fault before a line is evidence of it.
var witnesses = map[reason.ID]func(host.Host) bool{reason.UncorrectedMemoryError: memoryLost}

// memoryLost says whether a memory controller has counted an error that it could not correct
// (https://docs.kernel.org/admin-guide/RAS/main.html), or the kernel has given up memory (HardwareCorrupted in proc_meminfo(5)). Both
// are counted before the line is written.
func memoryLost(h host.Host) bool {
	counters, _ := filepath.Glob(h.Path("/sys/devices/system/edac/mc/mc*/ue_count")) // The pattern is well-formed.
	for _, counter := range counters {
		if text, err := os.ReadFile(counter); err == nil && positive(string(text)) {
			return true
		}
	}
	text, err := os.ReadFile(h.Path("/proc/meminfo"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if size, is := strings.CutPrefix(line, "HardwareCorrupted:"); is {
			return positive(strings.TrimSuffix(strings.TrimSpace(size), " kB"))
		}
	}
	return false
}

func positive(text string) bool {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	return err == nil && n > 0
}
