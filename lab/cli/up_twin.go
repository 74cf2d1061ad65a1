package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/twin"
)

// twin reads the snapshot, says what could not be carried over, and returns what starts its twin.
func (o *upOptions) twin() (func(context.Context) (*lab.Lab, error), error) {
	if err := o.requireEmptyDataDir(); err != nil {
		return nil, badInputError{err}
	}
	t, err := o.readTwin()
	if errors.Is(err, snapshot.ErrNoSnapshot) {
		err = fmt.Errorf("%w; of objects as kubectl writes them make one first: naosu snapshot --from %s -o FILE", err, o.from)
	}
	if err != nil {
		return nil, badInputError{fmt.Errorf("--from %s: %w", o.from, err)}
	}
	t.Account(o.err)
	return func(ctx context.Context) (*lab.Lab, error) {
		options := t.Options()
		o.configure(&options)
		return lab.Start(ctx, options)
	}, nil
}

func (o *upOptions) readTwin() (t *twin.Twin, err error) {
	file := io.NopCloser(o.in)
	if o.from != "-" {
		if file, err = os.Open(o.from); err != nil {
			return nil, err
		}
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return twin.Read(file, pace.New(o.timeScale), clock.RealClock{})
}

// requireEmptyDataDir refuses a folder that holds a cluster, on which a snapshot would be written.
func (o *upOptions) requireEmptyDataDir() error {
	if o.dataDir == "" {
		return nil
	}
	kept, err := os.ReadDir(o.dataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(kept) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("--data-dir: %w", err)
	}
	return fmt.Errorf("--data-dir %s: something is there already; leave out --from to go on with a cluster that was kept, or name an empty folder", o.dataDir)
}
