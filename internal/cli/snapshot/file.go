package snapshot

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// write makes the file whole or not at all. Only its owner may read it: it says much about a cluster.
func write(path string, world *cluster.Snapshot) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	if err := world.Write(temporary); err != nil {
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
