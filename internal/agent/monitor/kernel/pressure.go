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

// pressure reads the kernel's pressure stall information (Documentation/accounting/psi.rst): the share of time in which processes wait for a
// CPU, a disk or memory. Its line "full" is the time in which all of them do.
type pressure struct {
	host      host.Host
	daemons   []string
	threshold Pressure
}

func (p pressure) find(context.Context) ([]evidence.Evidence, error) {
	var found []evidence.Evidence
	for _, of := range []struct {
		id        reason.ID
		resource  string
		threshold Percent
		host      bool // Whether the value of the whole host is used.
	}{
		{reason.CPUPressureStalled, "cpu", p.threshold.CPU, false},
		{reason.IOPressureStalled, "io", p.threshold.IO, false},
		{reason.MemoryPressureStalled, "memory", p.threshold.Memory, true},
	} {
		faults, err := p.of(of.id, of.resource, of.threshold, of.host)
		if err != nil {
			faults = []evidence.Evidence{unreadable(of.id, "/proc/pressure", err.Error())}
		}
		found = append(found, faults...)
	}
	return found, nil
}

func (p pressure) of(id reason.ID, resource string, threshold Percent, host bool) (found []evidence.Evidence, err error) {
	read := 0
	look := func(entity, file string) error {
		line, share, err := fullOf(file)
		switch {
		case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, errNoFull):
			return nil // No such cgroup or file here: the kernel is too old, or started with psi=0.
		case err != nil:
			return err
		}
		read++
		if share >= float64(threshold) {
			found = append(found, fault(id, entity, hostPath(p.host, file), line))
		}
		return nil
	}
	if host {
		if err := look("/", p.host.Path("/proc/pressure/"+resource)); err != nil {
			return nil, err
		}
	}
	c := cgroups{host: p.host, patterns: p.daemons}
	root := c.root("unified")
	for _, path := range c.below(root) {
		if err := look(path, filepath.Join(root, path, resource+".pressure")); err != nil {
			return nil, err
		}
	}
	if read == 0 {
		return []evidence.Evidence{inapplicable(id, "/proc/pressure", "the kernel keeps no such figures, or there are no cgroups of daemons")}, nil
	}
	return found, nil
}

// errNoFull says that a file has no line "full", as cpu.pressure before Linux 5.13.
var errNoFull = errors.New("no line full")

// fullOf is a file's line "full" and the percentage of the last minute in it.
func fullOf(file string) (line string, share float64, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", 0, err
	}
	line, share, err = parsePressure(string(text))
	if err != nil {
		return "", 0, fmt.Errorf("read %s: %w", file, err)
	}
	return line, share, nil
}

func parsePressure(text string) (line string, share float64, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "full" {
			continue
		}
		for _, word := range words[1:] {
			if value, is := strings.CutPrefix(word, "avg60="); is {
				share, err := strconv.ParseFloat(value, 64)
				return strings.TrimSpace(line), share, err
			}
		}
		return "", 0, fmt.Errorf("%w: %q", errFormat, line)
	}
	return "", 0, errNoFull
}
