package cluster

import (
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/naosu-dev/naosu/internal/cluster/compact"
)

// watched is one kind of a Watch.
type watched struct {
	informer  cache.SharedIndexInformer
	hasSynced cache.InformerSynced

	mu sync.Mutex
	// err is the last error of the watch, since its time, and before the resource version by then: once that has changed, the watch works.
	err    error
	since  time.Time
	before string
}

// recordFailure records that the watch, or the list before it, has failed.
func (w *watched) recordFailure(now time.Time, err error) {
	at := w.informer.LastSyncResourceVersion()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || w.before != at {
		w.since, w.before = now, at
	}
	w.err = err
}

// failure is since when the watch is broken, and why; nil if it works.
func (w *watched) failure() (since time.Time, err error) {
	at := w.informer.LastSyncResourceVersion()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.before != at {
		w.err = nil
	}
	return w.since, w.err
}

// settled says whether the kind has synced, or is known not to be readable.
func (w *watched) settled() bool {
	_, err := w.failure()
	return w.hasSynced() || apierrors.IsForbidden(err) || apierrors.IsNotFound(err)
}

// known is how much of the kind is known, and since when that is up to date.
func (w *watched) known(now time.Time) (Knowledge, time.Time) {
	since, err := w.failure()
	known, err := knowledgeFrom(Complete, err)
	switch {
	case known != Complete && err == nil: // It may not be read, or not any more.
		return known, now
	case !w.hasSynced():
		return Absent, now
	case err != nil:
		return Complete, since
	default:
		return Complete, now
	}
}

// compactor is the transform of informers, which compacts each object before it is cached. The zero value is ready for use.
type compactor struct {
	mu    sync.Mutex
	codec *compact.Codec
	taken int
}

// codecLifetime is after how many objects a Codec is replaced, because it never releases what it has interned.
const codecLifetime = 100_000

func (s *compactor) compact(o compact.Object) (compact.Object, error) {
	s.mu.Lock()
	if s.taken%codecLifetime == 0 {
		s.codec = compact.New()
	}
	s.taken++
	codec := s.codec
	s.mu.Unlock()
	return codec.Compact(o)
}

// transform is a cache.TransformFunc.
func (s *compactor) transform(o any) (any, error) {
	object, ok := o.(compact.Object)
	if !ok {
		return o, nil
	}
	return s.compact(object)
}
