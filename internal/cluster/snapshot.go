package cluster

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
)

// Contents is what a Snapshot is built from.
type Contents struct {
	// Objects of the kinds above; others are left out.
	Objects []runtime.Object
	// Knowledge of each kind. A kind not named is Absent.
	Knowledge map[Kind]Knowledge
	// Taken is when the objects were read.
	Taken time.Time
	// Server is the API server's version, such as "v1.35.2"; empty if it is not known.
	Server string
	// Anonymized says that names were replaced.
	Anonymized bool
	// Applied says that the objects which people apply have the data with which manifests are merged (compact.NewKeepingApplied).
	Applied bool
	// Values is the Digester by which the values of environment variables were replaced, if Applied is true.
	Values compact.Digester
	// Unread is why parts of the cloud's network could not be read.
	Unread map[cloud.NetworkPart]cloud.Unread
}

// Snapshot is the state of a cluster at one time. It is immutable, and what it returns must not be changed.
type Snapshot struct {
	taken      time.Time
	server     string
	anonymized bool
	applied    bool
	values     compact.Digester
	knowledge  map[Kind]Knowledge
	unread     map[cloud.NetworkPart]cloud.Unread
	tables     map[Kind]rows
	index      index
	memo       *memo
}

// New builds a Snapshot. It keeps the objects; the caller must not change them any more.
func New(c Contents) *Snapshot {
	s := &Snapshot{
		taken: c.Taken, server: c.Server, anonymized: c.Anonymized, applied: c.Applied, values: c.Values,
		knowledge: c.Knowledge, unread: c.Unread, tables: map[Kind]rows{}, index: newIndex(), memo: &memo{},
	}
	for kind, form := range forms {
		s.tables[kind] = form.empty()
	}
	edits := make([]Edit, 0, len(c.Objects))
	for _, o := range c.Objects {
		if object, ok := o.(metav1.Object); ok {
			edits = append(edits, Put(object))
		}
	}
	return s.With(edits...)
}

// Taken is when the Snapshot was read.
func (s *Snapshot) Taken() time.Time { return s.taken }

// Server is the API server's version, such as "v1.35.2"; empty if it is not known.
func (s *Snapshot) Server() string { return s.server }

// Anonymized says that names were replaced before the Snapshot was shared.
func (s *Snapshot) Anonymized() bool { return s.anonymized }

// Applied says whether an object, if it is of a type that people apply, has the data with which manifests are merged: managed fields, and the
// last-applied annotation.
func (s *Snapshot) Applied(o metav1.Object) bool { return s.applied && compact.IsApplied(o) }

// Values replace the values of environment variables as those of an object were replaced.
func (s *Snapshot) Values(o metav1.Object) compact.Digester {
	if _, is := o.(*corev1.Pod); is {
		return compact.Digester{} // A pod has none.
	}
	return s.values
}

// Key is the key of the digests of values; nil if no workload has any.
func (s *Snapshot) Key() []byte {
	if !s.values.HasKey() {
		return nil
	}
	for _, table := range s.tables {
		if slices.ContainsFunc(table.(anyTable).objects(), func(o metav1.Object) bool { return compact.HasEnvValue(o.(compact.Object)) }) {
			return s.values.Key
		}
	}
	return nil
}

// Knowledge says how much of a kind the Snapshot holds.
func (s *Snapshot) Knowledge(k Kind) Knowledge {
	if known, ok := s.knowledge[k]; ok {
		return known
	}
	return Absent
}

// list is every object of a kind, sorted by namespace and name.
func list[T metav1.Object](s *Snapshot, k Kind) []T { return s.tables[k].(*table[T]).all() }

// get is nil if there is none of that name.
func get[T metav1.Object](s *Snapshot, k Kind, namespace, name string) T {
	return s.tables[k].(*table[T]).get(types.NamespacedName{Namespace: namespace, Name: name})
}
