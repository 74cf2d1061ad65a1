package scheduling

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// snapshotStack is the Snapshots of the open forks, the present one last. Edits become a Snapshot when it is asked for.
type snapshotStack []stackedSnapshot

type stackedSnapshot struct {
	snapshot *cluster.Snapshot
	edits    []cluster.Edit // since snapshot
}

func (w snapshotStack) current() *cluster.Snapshot {
	top := &w[len(w)-1]
	if len(top.edits) > 0 {
		top.snapshot, top.edits = top.snapshot.With(top.edits...), nil
	}
	return top.snapshot
}

func (w snapshotStack) edit(e cluster.Edit) {
	top := &w[len(w)-1]
	top.edits = append(top.edits, e)
}

func (w *snapshotStack) fork() {
	top := (*w)[len(*w)-1]
	*w = append(*w, stackedSnapshot{snapshot: top.snapshot, edits: slices.Clip(top.edits)})
}

func (w *snapshotStack) revert() { *w = (*w)[:len(*w)-1] }
