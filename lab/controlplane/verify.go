package controlplane

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
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// verify reads etcd's files through, because etcd and its database panic over damaged ones, some of it in goroutines of
// their own, where nothing can catch it.
func verify(dir string) error {
	member := filepath.Join(dir, "member")
	database := filepath.Join(member, "snap", "db")
	if err := guarded(func() error { return verifyDatabase(database) }); err != nil {
		return fmt.Errorf("damaged data: %s: %w", database, err)
	}
	log := filepath.Join(member, "wal")
	if err := guarded(func() error { return verifyLog(log) }); err != nil {
		return fmt.Errorf("damaged data: %s: %w", log, err)
	}
	return nil
}

// guarded makes errors of panics, and of reads beyond the end of a mapped file.
func guarded(do func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	return do()
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
			return bucket.ForEach(func(key, value []byte) error {
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
