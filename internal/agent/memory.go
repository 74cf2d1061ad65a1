package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
)

// Memory is a folder of the agent's own that outlives it.
type Memory struct {
	Folder string
	// Boot is the ID of the host's boot: evidence of another is void.
	Boot string

	last []byte
}

func (m *Memory) file() string { return filepath.Join(m.Folder, "evidence.json") }

// recall fills a store with what the last run kept.
func (m *Memory) recall(store *evidence.Store, now time.Time) error {
	if m == nil {
		return nil
	}
	data, err := os.ReadFile(m.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := store.Restore(data, m.Boot, now); err != nil {
		return fmt.Errorf("%s: %w", m.file(), err)
	}
	return nil
}

// keep writes what changed, whole or not at all.
func (m *Memory) keep(store *evidence.Store) error {
	if m == nil {
		return nil
	}
	data, err := store.Save(m.Boot)
	if err != nil {
		return err
	}
	if bytes.Equal(data, m.last) {
		return nil
	}
	if err := os.MkdirAll(m.Folder, 0o700); err != nil {
		return err
	}
	draft := m.file() + ".new"
	if err := os.WriteFile(draft, data, 0o600); err != nil {
		return err
	}
	if err := os.Rename(draft, m.file()); err != nil {
		return err
	}
	m.last = data
	return nil
}
