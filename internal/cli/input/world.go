package input

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// readWorld reads from where the flags say. Beside the world it returns the namespace that is asked about.
func (o *Options) readWorld(ctx context.Context, progress *output.Progress) (*cluster.Snapshot, string, error) {
	if o.From != "" {
		return o.load(ctx, progress)
	}
	api, err := connect.To(o.Config)
	if err != nil {
		return nil, "", err
	}
	show := func(p cluster.Progress) {
		progress.Show(o.Say().Say(sentence.ProgressReading(p.Done, p.Total)), p.Done, p.Total)
	}
	world, err := cluster.Read(ctx, api.Client, cluster.ReadOptions{Namespace: api.Namespace, Clock: o.Clock, Progress: show, Applied: o.Applied})
	if err != nil {
		return nil, "", exit.Talking(api.Host, err)
	}
	return world, api.Namespace, nil
}

// load reads files. No kubeconfig is needed for that, so one that cannot be read does not matter.
func (o *Options) load(ctx context.Context, progress *output.Progress) (*cluster.Snapshot, string, error) {
	namespace, _, err := o.Config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		namespace = "default"
	}
	world, err := o.loadPath(ctx, progress, "--from", o.From)
	return world, namespace, err
}

// loadPath reads what a flag names.
func (o *Options) loadPath(ctx context.Context, progress *output.Progress, flag, path string) (*cluster.Snapshot, error) {
	show := func(p cluster.Progress) {
		progress.Show(o.Say().Say(sentence.ProgressLoading(path)), p.Done, p.Total)
	}
	world, err := cluster.Load(ctx, cluster.Source{Path: path, Stdin: o.In, Progress: show, Applied: o.Applied, Key: readKey(path)})
	switch {
	case err == nil:
		return world, nil
	case ctx.Err() != nil:
		return nil, exit.Failure(sentence.ErrInterrupted())
	default:
		return nil, badFrom(flag, path, err)
	}
}

// KeyFile is where the key of a snapshot's digests is, beside the snapshot.
func KeyFile(snapshot string) string { return snapshot + ".values-key" }

// readKey is the key of a snapshot's digests, nil if it is not beside it: then it is not known which values change.
func readKey(from string) []byte {
	text, err := os.ReadFile(KeyFile(from))
	if err != nil {
		return nil
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return nil // It is none of naosu's.
	}
	return key
}

// badFrom says in plain words what is wrong with what a flag names, --from or --history.
func badFrom(flag, from string, err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok && from != "-" {
		from = file.Path // Of a folder, the file that is meant.
	}
	problem, remedy := sentence.ErrFromParse(err.Error()), sentence.ErrFromRemedy()
	for known, says := range map[error]func(from any) message.Sentence{
		fs.ErrNotExist: sentence.ErrFromMissing, fs.ErrPermission: sentence.ErrFromForbidden,
		snapshot.ErrNoSnapshot: sentence.ErrFromBinary, snapshot.ErrVersion: sentence.ErrFromVersion, snapshot.ErrTruncated: sentence.ErrFromTruncated,
		snapshot.ErrDamaged: sentence.ErrFromDamaged, snapshot.ErrTooLarge: sentence.ErrFromTooLarge,
		cluster.ErrTooLarge: sentence.ErrFromTooLarge, cluster.ErrNothing: sentence.ErrFromNothing,
	} {
		if errors.Is(err, known) {
			problem = says(from)
		}
	}
	switch {
	case errors.Is(err, snapshot.ErrVersion):
		remedy = sentence.ErrFromVersionRemedy()
	case errors.Is(err, snapshot.ErrTruncated), errors.Is(err, snapshot.ErrDamaged):
		remedy = sentence.ErrFromAgain()
	}
	return exit.BadInput(flag, problem, remedy)
}
