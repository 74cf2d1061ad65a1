package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// state is what a file was like.
type state struct {
	sum  [sha256.Size]byte
	time time.Time
}

// files are binaries as they were before a build.
type files map[string]state

// filesIn are the regular files of a folder. What cannot be read is taken for changed.
func filesIn(folder string) files {
	found := files{}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		name := filepath.Join(folder, entry.Name())
		if s, err := stateOf(name); err == nil && entry.Type().IsRegular() {
			found[name] = s
		}
	}
	return found
}

func stateOf(name string) (state, error) {
	file, err := os.Open(name)
	if err != nil {
		return state{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return state{}, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return state{}, err
	}
	return state{sum: [sha256.Size]byte(hash.Sum(nil)), time: info.ModTime()}, nil
}

// keepTimes gives the files whose content is as it was their time back: go build sets it although it writes nothing
// (cmd/go/internal/work, BuildInstallFunc), and go test takes a file with another time for another file.
func (f files) keepTimes() error {
	var errs []error
	for name, before := range f {
		if now, err := stateOf(name); err == nil && now.sum == before.sum && !now.time.Equal(before.time) {
			errs = append(errs, os.Chtimes(name, before.time, before.time))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keep the times of unchanged binaries: %w", err)
	}
	return nil
}
