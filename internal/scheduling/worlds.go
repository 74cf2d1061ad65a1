package scheduling

import (
	"slices"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// worlds are the worlds of the open forks, the present one last. Edits become a Snapshot when somebody asks for it.
type worlds []world

type world struct {
	now   *cluster.Snapshot
	edits []cluster.Edit // since now
}

func (w worlds) current() *cluster.Snapshot {
	top := &w[len(w)-1]
	if len(top.edits) > 0 {
		top.now, top.edits = top.now.With(top.edits...), nil
	}
	return top.now
}

func (w worlds) edit(e cluster.Edit) {
	top := &w[len(w)-1]
	top.edits = append(top.edits, e)
}

func (w *worlds) fork() {
	top := (*w)[len(*w)-1]
	*w = append(*w, world{now: top.now, edits: slices.Clip(top.edits)})
}

func (w *worlds) revert() { *w = (*w)[:len(*w)-1] }
