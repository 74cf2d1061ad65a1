package agenttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// record is what undoes what a test has set.
type record struct {
	// Boot is the machine's boot ID: another boot has its own settings.
	Boot string `json:"boot"`
	// Holder is the test.
	Holder string `json:"holder"`
	// Undo is written in this order. Written twice it has the same effect.
	Undo []Setting `json:"undo"`
}

// settable are the settings that tests may change, and values those that they may have: whatever a record says, nothing else
// is written.
var (
	settable = regexp.MustCompile(`^(?:/proc/sys/kernel/(?:hung_task_timeout_secs|hung_task_warnings|task_delayacct)|` +
		`/sys/block/zram[0-9]+/reset|/sys/class/zram-control/hot_remove)$`)
	values = regexp.MustCompile(`^-?[0-9]{1,19}$`)
)

func (r record) check() error {
	for _, s := range r.Undo {
		if !settable.MatchString(s.Path) || !values.MatchString(s.Value) {
			return fmt.Errorf("%q is not to be set to %q by tests", s.Path, s.Value)
		}
	}
	return nil
}

func (m machine) record() string { return filepath.Join(m.folder, "record") }

func (m machine) boot() (string, error) {
	id, err := os.ReadFile(m.path("/proc/sys/kernel/random/boot_id"))
	return strings.TrimSpace(string(id)), err
}

// note writes the record, whole or not at all.
func (h *held) note(undo []Setting) error {
	boot, err := h.boot()
	if err != nil {
		return fmt.Errorf("read the boot ID: %w", err)
	}
	r := record{boot, h.who, undo}
	if err := r.check(); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	half := h.record() + ".new"
	if err := os.WriteFile(half, text, 0o600); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return os.Rename(half, h.record())
}

// restore undoes what the record says, if there is one, and removes it.
func (h *held) restore() error {
	text, err := os.ReadFile(h.record())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	boot, err := h.boot()
	if err != nil {
		return fmt.Errorf("read the boot ID: %w", err)
	}
	var r record
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err = strict.Decode(&r); err == nil {
		err = r.check()
	}
	if err != nil {
		return fmt.Errorf("%s is no record of what a test has set; see what the machine is set to, and remove it: %w", h.record(), err)
	}
	if r.Boot == boot {
		for _, s := range r.Undo {
			if err := h.undo(s); err != nil {
				return fmt.Errorf("restore what %s has set: %w", r.Holder, err)
			}
		}
	}
	return h.forget()
}

func (m machine) forget() error { return os.Remove(m.record()) }

// undo gives a setting the value that it had. A device that is gone needs none; one that somebody looks at is busy for a moment.
func (m machine) undo(s Setting) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 500 {
		if _, err := os.Stat(m.path(s.Path)); errors.Is(err, os.ErrNotExist) {
			return nil
		}
		err := m.write(s)
		if !errors.Is(err, unix.EBUSY) {
			if errors.Is(err, unix.ENODEV) {
				return nil
			}
			return errors.Join(err, m.holds(s))
		}
		<-tick.C
	}
	return fmt.Errorf("set %s to %q: %w", s.Path, s.Value, unix.EBUSY)
}

// holds checks that a sysctl has a value. What is in /sys is done by writing, and cannot be read.
func (m machine) holds(s Setting) error {
	if !strings.HasPrefix(s.Path, "/proc/") {
		return nil
	}
	value, err := os.ReadFile(m.path(s.Path))
	if err == nil && strings.TrimSpace(string(value)) != s.Value {
		err = fmt.Errorf("%s is %q and was to be %q", s.Path, value, s.Value)
	}
	return err
}
