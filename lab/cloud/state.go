package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// state is the cloud's whole state, as its state file holds it.
type state struct {
	// Region is the Spec without its groups: those change, and are below.
	Region    Spec        `json:"region"`
	Sequence  uint64      `json:"sequence"`
	LostZones []string    `json:"lostZones,omitempty"`
	Groups    []*group    `json:"groups"`
	Instances []*instance `json:"instances"`
	Volumes   []*Volume   `json:"volumes"`
	// Subnets and Interfaces are empty in the file of a lab that knew none.
	Subnets           []*Subnet           `json:"subnets,omitempty"`
	Interfaces        []*networkInterface `json:"interfaces,omitempty"`
	InterfaceSequence uint64              `json:"interfaceSequence,omitempty"`
}

// load reads the state file; found is false if there is none yet.
func load(path string) (s state, found bool, err error) {
	if path == "" {
		return state{}, false, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, false, nil
	}
	if err != nil {
		return state{}, false, fmt.Errorf("reading the cloud's state: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return state{}, false, fmt.Errorf("reading the cloud's state from %s: %w", path, err)
	}
	return s, true, nil
}

// save replaces the state file as a whole, so that the former state stays if the process is killed while writing.
func (s *state) save(path string) error {
	if path == "" {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("writing the cloud's state: %w", err)
	}
	temporary := path + ".tmp"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("writing the cloud's state: %w", err)
	}
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return fmt.Errorf("writing the cloud's state: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("writing the cloud's state: %w", err)
	}
	return nil
}
