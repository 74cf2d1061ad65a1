package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
)

// encoding is the encoding of an object in a file.
type encoding int

const (
	asProtobuf encoding = iota
	asJSON
	asYAML
)

// raw is one object as a file holds it.
type raw struct {
	// name is the file's, for messages.
	name string
	// order counts the objects in the order in which they are read.
	order    int
	encoding encoding
	// version and kind are empty if they are in the object itself, or in its list.
	version string
	kind    Kind
	list    *listHead
	// line is where it begins in a YAML file, counted from one.
	line int
	// data may be overwritten once the object is decoded.
	data  []byte
	codec *compact.Codec
}

// listHead is the version and kind of a list; it is complete once the whole list was read.
type listHead struct{ version, kind string }

// orderedObject is an object with its position in the order in which objects were read: they are decoded in any order.
type orderedObject struct {
	compact.Object
	order int
}

// batch are objects that one worker decodes. buffer holds data of theirs, nil if it holds none, and is used again then.
type batch struct {
	objects []raw
	buffer  *[]byte
}

// buffers are those of batches that are decoded.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, bufferBytes)) }}

// loader loads a Snapshot: it reads files and decodes their objects at the same time.
type loader struct {
	ctx     context.Context // It lives for one call of Load.
	stop    context.CancelCauseFunc
	codec   *compact.Codec
	applied bool
	values  compact.Digester
	batches chan batch
	batch   batch
	pending int // bytes of the batch
	added   int
	workers sync.WaitGroup
	count   progressCount
	// key is that of a snapshot's digests, if it is known.
	key []byte

	mu           sync.Mutex
	objects      []orderedObject
	seen         map[Kind]bool
	nameless     []raw // items whose list must tell what they are
	namelessSize int
}

const (
	batchSize, batchBytes = 128, 1 << 20
	// bufferBytes is the size of a batch's buffer, in which most batches of pods have room.
	bufferBytes = 256 << 10
	// maxNameless bounds, in bytes, the items of lists that say only at their end what they are lists of.
	maxNameless = 256 << 20
	// maxHeap bounds, in bytes, what the objects of files may take up in memory if GOMEMLIMIT does not say less.
	maxHeap = 4 << 30
)

var errStopped = errors.New("stopped")

func newLoader(ctx context.Context, from Source) *loader {
	g := &loader{codec: compact.New(), batches: make(chan batch, 2), seen: map[Kind]bool{}, count: progressCount{report: from.Progress}}
	if from.Applied {
		g.keepApplied(compact.NewDigester())
		g.key = from.Key
	}
	g.ctx, g.stop = context.WithCancelCause(ctx)
	for range runtime.GOMAXPROCS(0) {
		g.workers.Go(g.work)
	}
	return g
}

// keepApplied keeps the data with which manifests are merged.
func (g *loader) keepApplied(values compact.Digester) {
	g.applied, g.values, g.codec = true, values, compact.NewKeepingApplied(values)
}

// keepAppliedOf keeps the data with which manifests are merged, if the snapshot has it.
func (g *loader) keepAppliedOf(header snapshot.Header) {
	if !g.applied {
		return
	}
	values := compact.Digester{Key: g.key}
	if values.KeyID() != header.Values {
		values = compact.Digester{}
	}
	if g.keepApplied(values); !header.Applied {
		g.applied, g.codec = false, compact.New()
	}
}

// add hands an object to the workers. The error is errStopped if one of them has failed.
func (g *loader) add(r raw) error {
	g.added++
	r.order, r.codec = g.added, g.codec
	g.batch.objects = append(g.batch.objects, r)
	g.pending += len(r.data)
	if len(g.batch.objects) < batchSize && g.pending < batchBytes {
		return nil
	}
	return g.flush()
}

// nextRecord reads a record into the buffer of the batch, if it has room.
func (g *loader) nextRecord(file *snapshot.Reader) (snapshot.Record, error) {
	if g.batch.buffer == nil {
		g.batch.buffer = buffers.Get().(*[]byte)
		*g.batch.buffer = (*g.batch.buffer)[:0]
	}
	used := len(*g.batch.buffer)
	room := (*g.batch.buffer)[used:]
	record, err := file.NextInto(room)
	if len(record.Data) <= cap(room) {
		*g.batch.buffer = (*g.batch.buffer)[:used+len(record.Data)]
	}
	return record, err
}

func (g *loader) flush() error {
	select {
	case g.batches <- g.batch:
		g.batch, g.pending = batch{}, 0
		return nil
	case <-g.ctx.Done():
		return errStopped
	}
}

// finish waits until everything that was added is decoded, and returns the first error of that.
func (g *loader) finish() error {
	_ = g.flush() // The cause is returned below.
	close(g.batches)
	g.workers.Wait()
	defer g.stop(nil)
	if err := context.Cause(g.ctx); err != nil {
		return err
	}
	for _, r := range g.nameless {
		of, _ := isList(r.list.kind)
		if of == "" || r.list.version == "" {
			return inFile(r.name, fmt.Errorf("an item of a list: %w", errNameless))
		}
		r.version, r.kind = r.list.version, of
		if err := g.decode(r); err != nil {
			return err
		}
	}
	return nil
}

func (g *loader) work() {
	for batch := range g.batches {
		for _, r := range batch.objects {
			if err := g.decode(r); err != nil {
				g.stop(err)
			}
			if len(r.data) > batchBytes/2 && heap() > memoryLimit() {
				g.stop(ErrTooLarge)
			}
		}
		if batch.buffer != nil {
			buffers.Put(batch.buffer)
		}
		if heap() > memoryLimit() {
			g.stop(ErrTooLarge)
		}
	}
}

// decode decodes one object. It leaves it out if a Snapshot does not hold its kind, and after a failure, so that add does not block.
func (g *loader) decode(r raw) error {
	if g.ctx.Err() != nil {
		return nil
	}
	o, err := r.decode()
	if errors.Is(err, errNameless) {
		return g.postpone(r)
	}
	if err != nil {
		return inFile(r.name, err)
	}
	if o == nil {
		return nil
	}
	kind, _ := KindOf(o)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen[kind] = true
	g.objects = append(g.objects, orderedObject{o.(compact.Object), r.order})
	return nil
}

// postpone keeps an item until the kind of its list is known.
func (g *loader) postpone(r raw) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.list == nil {
		return inFile(r.name, errNameless)
	}
	if g.namelessSize += len(r.data); g.namelessSize > maxNameless {
		return inFile(r.name, ErrTooLarge)
	}
	g.nameless = append(g.nameless, r)
	return nil
}

// noteList records that there is a list of a kind, which may have no items.
func (g *loader) noteList(head *listHead) {
	kind, ok := isList(head.kind)
	if ok && kind.heldAs(head.version) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.seen[kind] = true
	}
}

// heap is how many bytes objects take up, garbage included.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func memoryLimit() uint64 { return uint64(min(debug.SetMemoryLimit(-1), maxHeap)) }

// snapshot is the Snapshot of the objects that were loaded.
func (g *loader) snapshot(header *snapshot.Header) (*Snapshot, error) {
	if header == nil {
		slices.SortFunc(g.objects, olderFirst)
	} else { // In a snapshot, no two objects have one name, and they are sorted.
		slices.SortFunc(g.objects, func(a, b orderedObject) int { return cmp.Compare(a.order, b.order) })
	}
	contents := Contents{Objects: make([]apiruntime.Object, len(g.objects)), Knowledge: map[Kind]Knowledge{}, Applied: g.applied, Values: g.values}
	for i, o := range g.objects {
		contents.Objects[i] = o.Object
	}
	if header != nil {
		contents.Taken, contents.Server, contents.Anonymized = header.Taken, header.Server, header.Anonymized
		for kind, known := range header.Knowledge {
			if known := Knowledge(known); known.Known() || known == Forbidden {
				contents.Knowledge[Kind(kind)] = known
			}
		}
		contents.Unread = unreadOf(header)
		return New(contents), nil
	}
	if len(g.seen) == 0 {
		return nil, ErrNothing
	}
	contents.Objects = withoutOtherConfigMaps(contents.Objects)
	contents.Taken = latest(contents.Objects)
	for kind := range g.seen {
		contents.Knowledge[kind] = Complete
	}
	return New(contents), nil
}

// unreadOf is why parts of the cloud's network could not be read, of those that this version of naosu knows.
func unreadOf(header *snapshot.Header) map[cloud.NetworkPart]cloud.Unread {
	var unread map[cloud.NetworkPart]cloud.Unread
	for _, part := range cloud.NetworkParts {
		if why, failed := header.Unread[string(part)]; failed {
			if unread == nil {
				unread = map[cloud.NetworkPart]cloud.Unread{}
			}
			unread[part] = cloud.Unread{Permission: why.Permission, Reason: cloud.UnreadReason(why.Reason), Detail: why.Detail, Err: why.Err}
		}
	}
	return unread
}

// olderFirst orders objects by their resource versions, and those of one, or of none, as they were read: of two of one name
// the last counts.
func olderFirst(a, b orderedObject) int {
	return cmp.Or(cmp.Compare(a.version(), b.version()), cmp.Compare(a.order, b.order))
}

func (p orderedObject) version() uint64 {
	version, _ := strconv.ParseUint(p.GetResourceVersion(), 10, 64) // Manifests have none: zero.
	return version
}

// progressCount counts the bytes that were read.
type progressCount struct {
	report func(Progress)
	Progress
}

func (g *loader) willRead(size int64) { g.count.Total += int(size) }

func (g *loader) counted(r io.Reader) io.Reader { return &countingReader{r, &g.count} }

type countingReader struct {
	r     io.Reader
	count *progressCount
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.count.Done += n
	if c.count.report != nil {
		c.count.report(c.count.Progress)
	}
	return n, err
}
