package snapshot

import (
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// write makes the file whole or not at all. Only its owner may read it: it says much about a cluster. Where a link leads
// elsewhere, it is made there; what is no file, as a device or a pipe, is written into and not replaced.
func write(path string, world *cluster.Snapshot) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeInto(path, world)
	}
	return replace(path, world.Write)
}

// writeKey writes the key of a snapshot's digests to a file of its own beside it. It says whether there is any.
func writeKey(path string, world *cluster.Snapshot) (bool, error) {
	key := world.Key()
	if info, err := os.Stat(path); key == nil || err != nil || !info.Mode().IsRegular() {
		return false, nil //nolint:nilerr // What is no file has nothing beside it.
	}
	return true, replace(input.KeyFile(path), func(w io.Writer) error {
		_, err := w.Write([]byte(hex.EncodeToString(key) + "\n"))
		return err
	})
}

func writeInto(path string, world *cluster.Snapshot) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(world.Write(file), file.Close())
}

func replace(path string, write func(io.Writer) error) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	if err := write(temporary); err != nil {
		return errors.Join(err, temporary.Close())
	}
	if err := temporary.Sync(); err != nil {
		return errors.Join(err, temporary.Close())
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
