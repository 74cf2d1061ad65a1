package storage

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocks "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/ata"
)

// What disks answer, and whether the reason stands for one, does not apply, or is not known.
func TestSMART(t *testing.T) {
	type smartAnswer struct {
		predicted bool
		err       error
	}
	sound, failing, without, denied := smartAnswer{}, smartAnswer{predicted: true}, smartAnswer{err: ata.ErrUnsupported}, smartAnswer{err: os.ErrPermission}
	for name, c := range map[string]struct {
		disks                 map[string]smartAnswer
		stands                []string
		inapplicable, unknown bool
	}{
		"no disk":                         {inapplicable: true},
		"sound":                           {disks: map[string]smartAnswer{"sda": sound, "sdb": sound}},
		"one of two predicts its failure": {disks: map[string]smartAnswer{"sda": sound, "sdb": failing}, stands: []string{"sdb"}},
		"none knows SMART":                {disks: map[string]smartAnswer{"sda": without}, inapplicable: true},
		"one does not know SMART":         {disks: map[string]smartAnswer{"sda": without, "sdb": sound}},
		"not permitted":                   {disks: map[string]smartAnswer{"sda": denied}, unknown: true},
		"one cannot be asked, another is unhealthy": {disks: map[string]smartAnswer{"sda": denied, "sdb": failing}, stands: []string{"sdb"}, unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			for disk := range c.disks {
				folder := h.Path(filepath.Join("/sys/block", disk, "device"))
				if err := os.MkdirAll(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				for file, text := range map[string]string{"vendor": "ATA     ", "type": "0"} {
					if err := os.WriteFile(filepath.Join(folder, file), []byte(text+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			s := newSMART(h)
			s.ask = func(d ata.Disk) (bool, error) { answer := c.disks[d.Name]; return answer.predicted, answer.err }
			now := clocks.NewFakeClock(time.Now())
			every := s.every()
			every.Clock = now
			store := evidence.NewStore(reason.Catalogue)
			_ = every.Look(t.Context(), store.Add) // told
			snapshot := store.Snapshot(now.Now())
			var stands []string
			for _, standing := range snapshot.Standing {
				stands = append(stands, standing.Entity)
			}
			if diff := cmp.Diff(c.stands, stands); diff != "" {
				t.Error(diff)
			}
			var unknown []reason.ID
			for _, gap := range snapshot.Unknown {
				unknown = append(unknown, gap.Reason)
			}
			if containsAll(snapshot.Inapplicable, smartReasons) != c.inapplicable || containsAll(unknown, smartReasons) != c.unknown {
				t.Errorf("inapplicable %v, unknown %v", snapshot.Inapplicable, unknown)
			}
		})
	}
}
