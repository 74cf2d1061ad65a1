package accelerator

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/hardware"
)

func put(t *testing.T, h host.Host, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.Path(path)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Path(path), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The files are where the driver puts them (neuron_sysfs_metrics.c of github.com/aws-neuron/aws-neuron-driver fca19f7).
func TestNeuron(t *testing.T) {
	const (
		first, second = hardware.NeuronDevices + "/neuron0/stats/hardware/", hardware.NeuronDevices + "/neuron1/stats/hardware/"
		sram, memory  = "sram_ecc_uncorrected", "mem_ecc_uncorrected"
	)
	h := host.Host{Root: t.TempDir()}
	ids := []reason.ID{reason.NeuronHBMUncorrectableError, reason.NeuronSRAMUncorrectableError}
	var reasons []reason.Reason
	for _, id := range ids {
		r, _ := reason.Find(string(id))
		reasons = append(reasons, r)
	}
	store := evidence.NewStore(reasons)
	type seen struct {
		Standing     []string
		Not, Unknown []reason.ID
	}
	look := func() seen {
		t.Helper()
		_ = Monitors(h)[0].Look(t.Context(), store.Add)
		p := store.Snapshot(time.Now())
		var got seen
		for _, s := range p.Standing {
			got.Standing = append(got.Standing, string(s.Reason)+" "+s.Entity+": "+s.Raw)
		}
		for _, gap := range p.Unknown {
			got.Unknown = append(got.Unknown, gap.Reason)
		}
		got.Not = p.Inapplicable
		return got
	}
	step := func(name string, want seen) {
		t.Helper()
		if diff := cmp.Diff(want, look(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	step("no device", seen{Not: ids})
	const bus = "/sys/bus/pci/devices/0000:00:1e.0/"
	put(t, h, bus+"vendor", "0x1d0f\n")
	put(t, h, bus+"device", "0x7164\n")
	put(t, h, bus+"class", "0x088000\n")
	step("a device without its driver", seen{Unknown: ids})
	put(t, h, hardware.NeuronDevices+"/neuron0/core_count", "2\n")
	step("a device that counts nothing, as Inferentia 1", seen{Not: ids})
	for _, folder := range []string{first, second} {
		put(t, h, folder+sram, "0\n")
		put(t, h, folder+memory, "0\n")
		put(t, h, folder+"mem_ecc_repairable_uncorrected", "7\n")
	}
	step("well", seen{})
	put(t, h, second+sram, "3\n")
	step("an error", seen{Standing: []string{"NeuronSRAMUncorrectableError 1: sram_ecc_uncorrected is 3"}})
	put(t, h, first+memory, "1\n")
	step("two errors", seen{Standing: []string{"NeuronHBMUncorrectableError 0: mem_ecc_uncorrected is 1", "NeuronSRAMUncorrectableError 1: sram_ecc_uncorrected is 3"}})
	put(t, h, second+sram, "0\n")
	step("one gone", seen{Standing: []string{"NeuronHBMUncorrectableError 0: mem_ecc_uncorrected is 1"}})
	put(t, h, first+memory, "a few\n")
	if got := look(); len(got.Unknown) != 2 {
		t.Errorf("a counter that cannot be read: %+v", got)
	}
	if err := os.RemoveAll(h.Path(hardware.NeuronDevices + "/neuron0")); err != nil {
		t.Fatal(err)
	}
	put(t, h, hardware.NeuronDevices+"/neuron0/hardware/ecc/"+memory, "2\n")
	step("moved by a later driver", seen{Standing: []string{"NeuronHBMUncorrectableError 0: mem_ecc_uncorrected is 2"}})
}
