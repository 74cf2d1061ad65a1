package input

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// mostHistory bounds how many files are read as history.
const mostHistory = 1000

// ReadHistory reads the snapshots that --history names, one after the other, so that one at a time is in memory. Of a folder, each file is a snapshot.
func (o *Options) ReadHistory(ctx context.Context, paths []string, each func(path string, world *cluster.Snapshot) error) error {
	files, err := historyFiles(paths)
	if err != nil {
		return err
	}
	progress := output.NewProgress(o.ErrOut)
	defer progress.End()
	for _, file := range files {
		world, err := o.loadPath(ctx, progress, "--history", file)
		if err != nil {
			return err
		}
		if err := each(file, world); err != nil {
			return err
		}
	}
	return nil
}

func historyFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		entries, err := os.ReadDir(path)
		if err != nil { // A file, or what reading it is going to complain of.
			files = append(files, path)
			continue
		}
		for _, entry := range entries {
			if name := entry.Name(); entry.Type().IsRegular() && !strings.HasPrefix(name, ".") && KeyFile("") != filepath.Ext(name) {
				files = append(files, filepath.Join(path, name))
			}
		}
	}
	if len(files) > mostHistory {
		return nil, exit.BadInput("--history", sentence.ErrHistoryTooMany(len(files)), sentence.ErrHistoryRemedy(mostHistory))
	}
	return files, nil
}
