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

// position is how far a log was processed: the kernel's as the sequence number of the next record, the journal as the time since boot, a file
// as the offset in it.
type position struct {
	Seq  uint64           `json:"seq,omitzero"`
	Up   time.Duration    `json:"up,omitzero"`
	File logfile.Position `json:"file,omitzero"`
}

// positions are those after the last line that was evidence, by log. Other lines may be read again.
type positions map[string]position

// savedPositions are positions as written to a file. Those of another boot are discarded.
type savedPositions struct {
	Boot string    `json:"boot"`
	Logs positions `json:"logs"`
}

func positionsFile(folder string) string { return filepath.Join(folder, "logs.json") }

// restorePositions reads the positions of the last run. If there are none, the logs are read from their beginning.
func restorePositions(folder, boot string) positions {
	var restored savedPositions
	if text, err := os.ReadFile(positionsFile(folder)); err == nil {
		_ = json.Unmarshal(text, &restored)
	}
	if restored.Boot != boot || restored.Logs == nil {
		return positions{}
	}
	if own, is := restored.Logs[unitPrefix+"kubelet.service"]; is { // The name in files of versions that read that unit alone.
		delete(restored.Logs, unitPrefix+"kubelet.service")
		restored.Logs[kubeletLog] = own
	}
	return restored.Logs
}

// positionStore keeps positions in a file. It writes the file with each change, so that a line is not counted twice after a crash, but once a
// second at most.
type positionStore struct {
	folder, boot string
	clock        clock.PassiveClock

	mu    sync.Mutex
	logs  positions
	dirty bool
	last  time.Time
}

// newPositionStore starts from the positions of the last run. Without a folder nothing is read or written.
func newPositionStore(folder, boot string, now clock.PassiveClock) *positionStore {
	k := &positionStore{folder: folder, boot: boot, clock: now, logs: positions{}}
	if folder != "" {
		k.logs = restorePositions(folder, boot)
	}
	return k
}

func (k *positionStore) all() positions {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.logs)
}

func (k *positionStore) set(log string, m position) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.logs[log], k.dirty = m, true
	if now := k.clock.Now(); now.Sub(k.last) >= time.Second {
		k.last = now
		_ = k.write() // It is tried again with the next line; close returns the last error.
	}
}

func (k *positionStore) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.write(); err != nil {
		return fmt.Errorf("keep how far the logs were read: %w", err)
	}
	return nil
}

func (k *positionStore) write() error {
	if !k.dirty || k.folder == "" {
		return nil
	}
	text, err := json.Marshal(savedPositions{Boot: k.boot, Logs: k.logs})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return err
	}
	draft := positionsFile(k.folder) + ".new"
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return err
	}
	k.dirty = false
	return os.Rename(draft, positionsFile(k.folder))
}
