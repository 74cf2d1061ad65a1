package outcome

import (
	"fmt"

	"github.com/naosu-dev/naosu/internal/change"
)

// UnknownError is a change that names an object which the world does not have.
type UnknownError struct{ Ref change.Ref }

func (e UnknownError) Error() string {
	if e.Ref.Namespace != "" {
		return fmt.Sprintf("%s in namespace %s does not exist", e.Ref, e.Ref.Namespace)
	}
	return fmt.Sprintf("%s does not exist", e.Ref)
}

// RefusedError is a change that the API server refuses. Its text is the server's, as kubectl prints it.
type RefusedError struct {
	Object change.Ref
	Err    error
}

func (e RefusedError) Error() string { return e.Err.Error() }
func (e RefusedError) Unwrap() error { return e.Err }

// PatchError is a patch that does not fit its object.
type PatchError struct {
	Object change.Ref
	Err    error
}

func (e PatchError) Error() string { return fmt.Sprintf("patching %s: %v", e.Object, e.Err) }
func (e PatchError) Unwrap() error { return e.Err }
