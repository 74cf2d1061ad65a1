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
		progress.Show(o.Say().Text(message.ProgressReading, message.Args{"done": p.Done, "total": p.Total}), p.Done, p.Total)
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
	show := func(p cluster.Progress) {
		progress.Show(o.Say().Text(message.ProgressLoading, message.Args{"from": o.From}), p.Done, p.Total)
	}
	world, err := cluster.Load(ctx, cluster.Source{Path: o.From, Stdin: o.In, Progress: show, Applied: o.Applied, Key: readKey(o.From)})
	switch {
	case err == nil:
		return world, namespace, nil
	case ctx.Err() != nil:
		return nil, "", exit.Failure(message.ErrInterrupted, nil)
	default:
		return nil, "", badFrom(o.From, err)
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

// badFrom says in plain words what is wrong with what --from names.
func badFrom(from string, err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok && from != "-" {
		from = file.Path // Of a folder, the file that is meant.
	}
	problem, remedy := message.Of(message.ErrFromParse, message.Args{"problem": err.Error()}), message.ErrFromRemedy
	for known, id := range map[error]message.ID{
		fs.ErrNotExist: message.ErrFromMissing, fs.ErrPermission: message.ErrFromForbidden,
		snapshot.ErrNoSnapshot: message.ErrFromBinary, snapshot.ErrVersion: message.ErrFromVersion, snapshot.ErrTruncated: message.ErrFromTruncated,
		snapshot.ErrDamaged: message.ErrFromDamaged, snapshot.ErrTooLarge: message.ErrFromTooLarge,
		cluster.ErrTooLarge: message.ErrFromTooLarge, cluster.ErrNothing: message.ErrFromNothing,
	} {
		if errors.Is(err, known) {
			problem = message.Of(id, message.Args{"from": from})
		}
	}
	switch {
	case errors.Is(err, snapshot.ErrVersion):
		remedy = message.ErrFromVersionRemedy
	case errors.Is(err, snapshot.ErrTruncated), errors.Is(err, snapshot.ErrDamaged):
		remedy = message.ErrFromAgain
	}
	return exit.BadInput("--from", problem, message.Of(remedy, nil))
}
