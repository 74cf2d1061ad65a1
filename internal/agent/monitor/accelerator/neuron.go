// Package accelerator monitors the error counters of accelerators' drivers. What drivers log is the part of package logs.
package accelerator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/hardware"
)

// counters are the names of the files of the Neuron driver's error counters. Driver 2.31 moved them, so they are searched for.
var counters = map[string]reason.ID{
	"sram_ecc_uncorrected": reason.NeuronSRAMUncorrectableError,
	"mem_ecc_uncorrected":  reason.NeuronHBMUncorrectableError,
}

// Monitors are all of accelerators.
func Monitors(h host.Host) []monitor.Monitor {
	return []monitor.Monitor{monitor.Periodic{
		Title: "accelerator/neuron", IDs: []reason.ID{reason.NeuronHBMUncorrectableError, reason.NeuronSRAMUncorrectableError},
		Period: time.Minute, Source: hardware.NeuronDevices, Find: neuron{h}.find,
	}}
}

// neuron finds uncorrected errors in the counters of Neuron devices.
type neuron struct{ host host.Host }

func (n neuron) find(ctx context.Context) ([]evidence.Evidence, error) {
	kinds, err := hardware.Find(n.host)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(kinds, reason.Neuron) {
		return unavailable(evidence.Inapplicable, "no Neuron device is in this host"), nil
	}
	devices, err := filepath.Glob(n.host.Path(hardware.NeuronDevices + "/neuron[0-9]*"))
	if err != nil {
		return nil, err
	}
	if len(devices) == 0 {
		return unavailable(evidence.Unreadable, "a Neuron device is in this host, and no driver shows it"), nil
	}
	var found []evidence.Evidence
	read := map[reason.ID]bool{}
	for _, device := range devices {
		faults, err := look(ctx, device, read)
		if err != nil {
			return nil, err
		}
		found = append(found, faults...)
	}
	for _, id := range counters {
		if !read[id] {
			found = append(found, evidence.Evidence{Reason: id, State: evidence.Inapplicable, Raw: "the Neuron driver shows no such counter of these devices"})
		}
	}
	return found, nil
}

// look reads the counters of a device, and records in read which reasons had one.
func look(ctx context.Context, device string, read map[reason.ID]bool) ([]evidence.Evidence, error) {
	var found []evidence.Evidence
	err := filepath.WalkDir(device, func(path string, entry fs.DirEntry, err error) error {
		id, is := counters[entry.Name()]
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // A core's folder was removed meanwhile.
			return nil
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "neuron_core"):
			return fs.SkipDir // These folders hold a hundred other files each.
		case !is || entry.IsDir():
			return nil
		}
		count, err := counted(path)
		if err != nil {
			return err
		}
		read[id] = true
		if count > 0 {
			found = append(found, evidence.Evidence{
				Reason: id, State: evidence.Fault, Entity: strings.TrimPrefix(filepath.Base(device), "neuron"), Raw: fmt.Sprintf("%s is %d", entry.Name(), count),
			})
		}
		return nil
	})
	return found, err
}

// counted is the number in a counter's file.
func counted(path string) (uint64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	count, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return count, nil
}

// unavailable is evidence of a state, Inapplicable or Unreadable, for all reasons.
func unavailable(state evidence.State, why string) []evidence.Evidence {
	var all []evidence.Evidence
	for _, id := range counters {
		all = append(all, evidence.Evidence{Reason: id, State: state, Raw: why})
	}
	return all
}
