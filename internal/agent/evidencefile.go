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

// EvidenceFile is the file in which the evidence is kept over restarts of the agent.
type EvidenceFile struct {
	// Folder is where it is; it is made if need be.
	Folder string
	// Boot is the ID of the host's boot: evidence of another is discarded.
	Boot string

	last []byte // what was written last
}

func (m *EvidenceFile) file() string { return filepath.Join(m.Folder, "evidence.json") }

// restore adds the saved evidence to a store.
func (m *EvidenceFile) restore(store *evidence.Store, now time.Time) error {
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

// save writes the evidence of a store, if it has changed since, by renaming a new file.
func (m *EvidenceFile) save(store *evidence.Store) error {
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
