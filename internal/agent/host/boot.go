package host

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Boot is one run of the host's kernel.
type Boot struct {
	// ID differs for every boot.
	ID string
	// At is the time of the boot, to the second.
	At time.Time
}

// Boot returns the current boot of the host (proc(5): /proc/sys/kernel/random/boot_id, and btime in /proc/stat).
func (h Host) Boot() (Boot, error) {
	id, err := os.ReadFile(h.Path("/proc/sys/kernel/random/boot_id"))
	if err != nil {
		return Boot{}, fmt.Errorf("read the host's boot ID: %w", err)
	}
	stat, err := os.ReadFile(h.Path("/proc/stat"))
	if err != nil {
		return Boot{}, fmt.Errorf("read the host's boot time: %w", err)
	}
	at, err := bootTime(stat)
	if err != nil {
		return Boot{}, fmt.Errorf("read the host's boot time: %w", err)
	}
	return Boot{ID: strings.TrimSpace(string(id)), At: at}, nil
}

func bootTime(stat []byte) (time.Time, error) {
	lines := bufio.NewScanner(bytes.NewReader(stat))
	lines.Buffer(nil, len(stat)+1) // The line intr can be very long.
	for lines.Scan() {
		if value, is := strings.CutPrefix(lines.Text(), "btime "); is {
			seconds, err := strconv.ParseInt(value, 10, 64)
			return time.Unix(seconds, 0), err
		}
	}
	return time.Time{}, errors.New("no line btime in /proc/stat")
}
