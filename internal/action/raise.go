package action

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

var errNotBuilt = errors.New("not built yet")

// Raised is a condition that a drill puts on a node that may be lost, with the rights of who drills.
type Raised struct {
	Client client.Client
	Node   v1alpha1.NodeReference
	// Condition is what is raised, with its LastTransitionTime.
	Condition corev1.NodeCondition
}

// Hold raises the condition, or, if somebody has taken it back, raises it again, which it says. What stood before is kept on
// the Node. It fails with ErrAnotherNode if the machine of that UID is not there any more.
func (r Raised) Hold(ctx context.Context) (again bool, err error) { return false, errNotBuilt }

// TakeBack puts back what stood before Hold, if the condition still stands as raised. For a node that is gone it does nothing.
func (r Raised) TakeBack(ctx context.Context) error { return errNotBuilt }

// ErrAnotherNode is that the node is gone, or is another of the same name.
var ErrAnotherNode = errors.New("the node is gone, or another has its name")
