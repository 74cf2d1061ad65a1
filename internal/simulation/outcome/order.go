package outcome

import (
	"cmp"

	"github.com/naosu-dev/naosu/internal/change"
)

// compareFates orders fates by pod; the preemption of a pod comes before the fate of the next pod of its name.
func compareFates(a, b Fate) int {
	return cmp.Or(CompareRefs(a.Pod, b.Pod), cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Kind, b.Kind))
}

func rank(kind Kind) int {
	if kind == Preempted {
		return 0
	}
	return 1
}

// CompareRefs orders objects by namespace and name.
func CompareRefs(a, b change.Ref) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
