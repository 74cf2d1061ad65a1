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
	// err is why the watch last broke off, since when, and how far it had come by then: once it is further, it works.
	err    error
	since  time.Time
	before string
}

// broke notes that the watch, or the list that it begins with, has failed.
func (w *watched) broke(now time.Time, err error) {
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

// decided says whether it is known what there is of the kind, or that it cannot be known.
func (w *watched) decided() bool {
	_, err := w.failure()
	return w.hasSynced() || apierrors.IsForbidden(err) || apierrors.IsNotFound(err)
}

// known is how much is known of the kind, and as of when.
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

// compacting is the transform of informers: it compacts each object before their cache holds it. The zero value is ready.
type compacting struct {
	mu    sync.Mutex
	codec *compact.Codec
	taken int
}

// renewed is after how many objects a Codec is replaced, as it never releases what it interned.
const renewed = 100_000

func (s *compacting) compact(o compact.Object) (compact.Object, error) {
	s.mu.Lock()
	if s.taken%renewed == 0 {
		s.codec = compact.New()
	}
	s.taken++
	codec := s.codec
	s.mu.Unlock()
	return codec.Compact(o)
}

// transform is a cache.TransformFunc.
func (s *compacting) transform(o any) (any, error) {
	object, ok := o.(compact.Object)
	if !ok {
		return o, nil
	}
	return s.compact(object)
}
