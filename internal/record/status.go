package record

import (
	"bytes"
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patchStatus writes what differs between two states of an object's status, if the object is still as it was read. A merge
// patch leaves alone what does not differ, which is how one object's status has two writers.
func (r *Records) patchStatus(ctx context.Context, read, after client.Object) error {
	if data, err := client.MergeFrom(read).Data(after); err != nil {
		return fmt.Errorf("compare the status of %s: %w", read.GetName(), err)
	} else if bytes.Equal(data, []byte("{}")) {
		return nil
	}
	patch := client.MergeFromWithOptions(read, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, after, patch); err != nil {
		return fmt.Errorf("write the status of %s: %w", read.GetName(), err)
	}
	return nil
}
