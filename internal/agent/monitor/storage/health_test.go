package storage

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"
	clocks "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/nvme"
)

// Disks' health over some looks: what stands after each, and what does not apply or is not known.
func TestNVMeHealth(t *testing.T) {
	sound := nvme.Health{Spare: 100, Threshold: 10}
	with := func(change func(*nvme.Health)) nvme.Health { h := sound; change(&h); return h }
	errs := func(n uint64) nvme.Health { return with(func(h *nvme.Health) { h.MediaErrors = n }) }
	none := []reason.ID(nil)
	type answer struct {
		health nvme.Health
		err    error
	}
	for name, c := range map[string]struct {
		model   string
		answers []answer
		stands  [][]reason.ID
	}{
		"sound": {answers: []answer{{health: sound}}, stands: [][]reason.ID{none}},
		"the spare is below its threshold": {
			answers: []answer{{health: with(func(h *nvme.Health) { h.Spare = 9 })}, {health: sound}}, stands: [][]reason.ID{{reason.NVMeHealthCritical}, none},
		},
		"no threshold": {answers: []answer{{health: nvme.Health{}}}, stands: [][]reason.ID{none}},
		"too hot":      {answers: []answer{{health: with(func(h *nvme.Health) { h.Critical = nvme.Temperature })}}, stands: [][]reason.ID{{reason.NVMeHealthCritical}}},
		"degraded":     {answers: []answer{{health: with(func(h *nvme.Health) { h.Critical = nvme.Unreliable })}}, stands: [][]reason.ID{{reason.NVMeHealthCritical}}},
		"used up, for which alone some disks call themselves degraded": {
			answers: []answer{{health: with(func(h *nvme.Health) { h.Critical, h.Used = nvme.Unreliable, 100 })}}, stands: [][]reason.ID{{reason.NVMeWornOut}},
		},
		"nearly used up":         {answers: []answer{{health: with(func(h *nvme.Health) { h.Used = 99 })}}, stands: [][]reason.ID{none}},
		"read-only":              {answers: []answer{{health: with(func(h *nvme.Health) { h.Critical = nvme.ReadOnly })}}, stands: [][]reason.ID{{reason.NVMeReadOnly}}},
		"errors of another time": {answers: []answer{{health: errs(7)}, {health: errs(7)}}, stands: [][]reason.ID{none, none}},
		"errors that are new, and stay": {
			answers: []answer{{health: errs(7)}, {health: errs(8)}, {health: errs(8)}},
			stands:  [][]reason.ID{none, {reason.NVMeMediaErrors}, {reason.NVMeMediaErrors}},
		},
		"a counter that begins anew": {answers: []answer{{health: errs(7)}, {health: errs(0)}, {health: errs(7)}}, stands: [][]reason.ID{none, none, {reason.NVMeMediaErrors}}},
		"a page between that could not be read": {
			answers: []answer{{health: errs(7)}, {err: errors.New("busy")}, {health: errs(8)}}, stands: [][]reason.ID{none, none, {reason.NVMeMediaErrors}},
		},
		"an EBS volume, whose page says nothing": {
			model: "Amazon Elastic Block Store", answers: []answer{{health: nvme.Health{Critical: 0xff, Used: 255, Threshold: 100}}}, stands: [][]reason.ID{none},
		},
		"a disk that has no such page": {answers: []answer{{err: nvme.StatusError(0x4109)}}, stands: [][]reason.ID{none}},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			disk(t, h, "nvme0", "Amazon EC2 NVMe Instance Storage")
			if c.model != "" {
				disk(t, h, "nvme0", c.model)
			}
			look := 0
			health := newHealth(h)
			health.read = func(nvme.Controller) (nvme.Health, error) { return c.answers[look].health, c.answers[look].err }
			now := clocks.NewFakeClock(time.Now())
			every := healthEvery(health, now)
			store := evidence.NewStore(reason.Catalogue)
			for look = range c.answers {
				now.Step(time.Minute)
				_ = every.Look(t.Context(), store.Add) // told
				var stands []reason.ID
				for _, s := range store.Snapshot(now.Now()).Standing {
					if s.Entity != "nvme0" {
						t.Errorf("%s stands for %q", s.Reason, s.Entity)
					}
					stands = append(stands, s.Reason)
				}
				if diff := cmp.Diff(c.stands[look], stands); diff != "" {
					t.Errorf("look %d: %s", look, diff)
				}
			}
		})
	}
}

// A host without such disks has nothing for these reasons; of a disk that cannot be asked they are not known, whatever others say.
func TestNVMeHealthNotKnown(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	health := newHealth(h)
	health.read = func(c nvme.Controller) (nvme.Health, error) {
		switch {
		case c.Name == "nvme1":
			return nvme.Health{}, os.ErrPermission
		case c.Model == "without":
			return nvme.Health{}, nvme.StatusError(0x4109)
		}
		return nvme.Health{Critical: nvme.ReadOnly}, nil
	}
	told := func() (snapshot evidence.Snapshot) {
		now := clocks.NewFakeClock(time.Now())
		store := evidence.NewStore(reason.Catalogue)
		_ = healthEvery(health, now).Look(t.Context(), store.Add) // told
		return store.Snapshot(now.Now())
	}
	for _, model := range []string{"", "Amazon Elastic Block Store", "without"} {
		if model != "" {
			disk(t, h, "nvme9", model)
		}
		if p := told(); !containsAll(p.Inapplicable, healthReasons) {
			t.Errorf("with %q apply all but %v", model, p.Inapplicable)
		}
	}
	disk(t, h, "nvme0", "x")
	disk(t, h, "nvme1", "x")
	p := told()
	var gaps []reason.ID
	for _, g := range p.Unknown {
		gaps = append(gaps, g.Reason)
	}
	if !containsAll(gaps, healthReasons) || len(p.Standing) != 1 || p.Standing[0].Reason != reason.NVMeReadOnly {
		t.Errorf("unknown %v, stand %+v", gaps, p.Standing)
	}
}

func healthEvery(h *health, now clock.Clock) monitor.Periodic {
	m := h.every()
	m.Clock = now
	return m
}

func containsAll(all, of []reason.ID) bool {
	has := map[reason.ID]bool{}
	for _, id := range all {
		has[id] = true
	}
	for _, id := range of {
		if !has[id] {
			return false
		}
	}
	return true
}

// disk makes an NVMe controller on a host.
func disk(t *testing.T, h host.Host, name, model string) {
	t.Helper()
	folder := h.Path(filepath.Join("/sys/class/nvme", name))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"model": model, "serial": name} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
