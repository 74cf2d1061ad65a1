package inprocess

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// verify reads etcd's files through, because etcd and its database panic over damaged ones, some of it in goroutines of
// their own, where nothing can catch it.
func verify(dir string) error {
	member := filepath.Join(dir, "member")
	if err := guarded(filepath.Join(member, "snap", "db"), verifyDatabase); err != nil {
		return err
	}
	return guarded(filepath.Join(member, "wal"), verifyLog)
}

// guarded makes errors of panics, and of reads beyond the end of a mapped file.
func guarded(name string, verify func(string) error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if cause := recover(); cause != nil {
			err = fmt.Errorf("damaged data: %s: %v", name, cause)
		}
	}()
	err = verify(name)
	switch unreadable := (*fs.PathError)(nil); {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("%s is still open, by a plane that could not stop: end its process first", name)
	case errors.As(err, &unreadable):
		return err
	}
	return fmt.Errorf("damaged data: %s: %w", name, err)
}

func verifyDatabase(file string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := bolt.Open(file, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			var last []byte
			return bucket.ForEach(func(key, _ []byte) error {
				if bytes.Compare(last, key) >= 0 && last != nil {
					return fmt.Errorf("bucket %s: key %x stands after %x", name, key, last)
				}
				last = key
				return nil
			})
		})
	})
}

func verifyLog(dir string) error {
	if !wal.Exist(dir) {
		return nil
	}
	logger := zap.NewNop().WithOptions(zap.WithFatalHook(zapcore.WriteThenPanic))
	snapshots, err := wal.ValidSnapshotEntries(logger, dir)
	if err != nil {
		return err
	}
	if len(snapshots) == 0 {
		return errors.New("no snapshot entry: the log is empty or cut short")
	}
	_, err = wal.Verify(logger, dir, snapshots[len(snapshots)-1])
	return err
}
