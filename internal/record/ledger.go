package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/ledger"
)

const (
	// DefaultNamespace is the namespace of naosu's own objects.
	DefaultNamespace = "naosu-system"
	// LedgerName is the name of the ConfigMap that holds the ledger.
	LedgerName = "naosu-ledger"
	// LeaseName is the name of the Lease whose holder acts.
	LeaseName = "naosu-controller"

	ledgerKey = "ledger.json"
	// maxLedger is the largest ledger that is written, in bytes: the API server accepts about three times that.
	maxLedger = 512 << 10
)

// +kubebuilder:rbac:groups="",namespace=naosu-system,resources=configmaps,verbs=create
// +kubebuilder:rbac:groups="",namespace=naosu-system,resources=configmaps,resourceNames=naosu-ledger,verbs=get;update

// ErrDamaged is that the ledger cannot be decoded.
var ErrDamaged = errors.New("the ledger is damaged")

// Ledger is a ledger as it was read, which is written back only if it was not written by another since.
type Ledger struct {
	ledger.Ledger
	// stored is the object that it was read from; without a resourceVersion if there was none.
	stored *corev1.ConfigMap
}

// ReadLedger reads the ledger past any cache. Without a ConfigMap it is empty; one that cannot be decoded is an error, since budgets
// counted by an empty ledger would not hold.
func (r *Records) ReadLedger(ctx context.Context) (Ledger, error) {
	if r.Last == nil {
		return r.readLedger(ctx)
	}
	began := r.Clock.Now()
	read, err := r.readLedger(ctx)
	switch {
	case errors.Is(err, ErrDamaged):
		r.Last.invalidate(began)
	case err == nil:
		r.Last.update(read.Ledger, began)
	}
	return read, err
}

func (r *Records) readLedger(ctx context.Context) (Ledger, error) {
	stored := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: LedgerName}}
	err := r.Reader.Get(ctx, client.ObjectKeyFromObject(stored), stored)
	switch {
	case apierrors.IsNotFound(err):
		return Ledger{stored: stored}, nil
	case err != nil:
		return Ledger{}, fmt.Errorf("read the ledger: %w", err)
	}
	read := Ledger{stored: stored}
	if err := json.Unmarshal([]byte(stored.Data[ledgerKey]), &read.Ledger); err != nil {
		return Ledger{}, fmt.Errorf("read the ledger in the ConfigMap %s/%s: %w: %w", stored.Namespace, stored.Name, ErrDamaged, err)
	}
	return read, nil
}

// WriteLedger writes a ledger in place of the one that was read. It fails with a conflict if that is not there any more.
func (r *Records) WriteLedger(ctx context.Context, read Ledger, l ledger.Ledger) error {
	data, err := r.encode(l)
	if err != nil {
		return err
	}
	after := read.stored.DeepCopy()
	after.Data = map[string]string{ledgerKey: string(data)}
	if err := r.put(ctx, "configmaps", after); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if r.Last != nil {
		r.Last.update(l, r.Clock.Now())
	}
	return nil
}

// put creates an object that was not there as read, and updates any other. If another was faster, it is a conflict.
func (r *Records) put(ctx context.Context, resource string, after client.Object) error {
	var err error
	if after.GetResourceVersion() == "" {
		err = r.Client.Create(ctx, after)
	} else {
		err = r.Client.Update(ctx, after)
	}
	if apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		return apierrors.NewConflict(corev1.Resource(resource), after.GetName(), err)
	}
	return err
}

// encode writes a ledger as JSON, without the oldest of what has ended if it would be too large.
func (r *Records) encode(l ledger.Ledger) ([]byte, error) {
	l = l.Prune(r.Clock.Now().Add(-ledger.Retention))
	for {
		data, err := json.Marshal(l)
		if err != nil {
			return nil, fmt.Errorf("encode the ledger: %w", err)
		}
		if len(data) <= maxLedger {
			return data, nil
		}
		shorter := l.DropOldest(len(l.Entries) / 4)
		if len(shorter.Entries) == len(l.Entries) {
			return nil, fmt.Errorf("the ledger is too large: %d disruptions go on", len(l.Entries))
		}
		l = shorter
	}
}

func (r *Records) namespace() string {
	if r.Namespace == "" {
		return DefaultNamespace
	}
	return r.Namespace
}
