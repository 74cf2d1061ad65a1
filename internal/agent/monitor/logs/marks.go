package logs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/source/logfile"
)

// mark is up to where a log was dealt with: the kernel's by the sequence number of the next record, the journal by the time
// since boot, a file by the place in it.
type mark struct {
	Seq  uint64           `json:"seq,omitzero"`
	Up   time.Duration    `json:"up,omitzero"`
	File logfile.Position `json:"file,omitzero"`
}

// marks are those of the last lines that were evidence, by log. Others may be read twice.
type marks map[string]mark

// kept is marks in a file. Those of another boot are void.
type kept struct {
	Boot string `json:"boot"`
	Logs marks  `json:"logs"`
}

func marksFile(folder string) string { return filepath.Join(folder, "logs.json") }

// recall reads what the last run kept. If that is lost, lines that are there still are read again.
func recall(folder, boot string) marks {
	var past kept
	if text, err := os.ReadFile(marksFile(folder)); err == nil {
		_ = json.Unmarshal(text, &past)
	}
	if past.Boot != boot || past.Logs == nil {
		return marks{}
	}
	if own, is := past.Logs[unitPrefix+"kubelet.service"]; is { // The name that versions kept which read that unit alone.
		delete(past.Logs, unitPrefix+"kubelet.service")
		past.Logs[kubeletLog] = own
	}
	return past.Logs
}

// keeper keeps marks in a file: at once, lest a crash has a line counted twice, but once a second at most.
type keeper struct {
	folder, boot string
	clock        clock.PassiveClock

	mu    sync.Mutex
	logs  marks
	dirty bool
	last  time.Time
}

// newKeeper goes on from what the last run kept. Without a folder it keeps nothing over a restart.
func newKeeper(folder, boot string, now clock.PassiveClock) *keeper {
	k := &keeper{folder: folder, boot: boot, clock: now, logs: marks{}}
	if folder != "" {
		k.logs = recall(folder, boot)
	}
	return k
}

func (k *keeper) all() marks {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.logs)
}

func (k *keeper) set(log string, m mark) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.logs[log], k.dirty = m, true
	if now := k.clock.Now(); now.Sub(k.last) >= time.Second {
		k.last = now
		_ = k.write() // It is tried again with the next line, and told at the end.
	}
}

func (k *keeper) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.write(); err != nil {
		return fmt.Errorf("keep how far the logs were read: %w", err)
	}
	return nil
}

func (k *keeper) write() error {
	if !k.dirty || k.folder == "" {
		return nil
	}
	text, err := json.Marshal(kept{Boot: k.boot, Logs: k.logs})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return err
	}
	draft := marksFile(k.folder) + ".new"
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return err
	}
	k.dirty = false
	return os.Rename(draft, marksFile(k.folder))
}
