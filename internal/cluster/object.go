package cluster

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// anyTable reads a table whatever its kind.
type anyTable interface {
	object(types.NamespacedName) metav1.Object
	objects() []metav1.Object
}

// Object is the one of that kind and name, nil if there is none or the kind is not one a Snapshot holds.
func (s *Snapshot) Object(kind Kind, namespace, name string) metav1.Object {
	table, ok := s.tables[kind].(anyTable)
	if !ok {
		return nil
	}
	return table.object(types.NamespacedName{Namespace: namespace, Name: name})
}

// Objects are all of a kind, sorted by namespace and name; none if the kind is not one a Snapshot holds.
func (s *Snapshot) Objects(kind Kind) []metav1.Object {
	table, ok := s.tables[kind].(anyTable)
	if !ok {
		return nil
	}
	return table.objects()
}

func (t *table[T]) object(name types.NamespacedName) metav1.Object {
	if o := t.get(name); !reflect.ValueOf(o).IsNil() {
		return o
	}
	return nil
}

func (t *table[T]) objects() []metav1.Object {
	all := t.all()
	objects := make([]metav1.Object, 0, len(all))
	for _, o := range all {
		objects = append(objects, o)
	}
	return objects
}
