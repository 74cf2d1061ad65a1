package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// Options say which entries are read.
type Options struct {
	// Boot is the ID of the boot of which entries are read, as in /proc/sys/kernel/random/boot_id.
	Boot string
	// Poll is how often to look for new ones. journald tells nobody of them but through the file.
	Poll  time.Duration
	Clock clock.Clock
}

// Reader reads logs within the journal, and follows it as its files are rotated. It is for one goroutine.
type Reader struct {
	folders []string
	wants   []Want
	options Options
	boot    id

	open []*opened
	// seen are the IDs of all files that were opened; each has to be read once.
	seen map[id]bool
	// again says that a file could not be opened when the folders were last looked through, bad why not, and live that one of this
	// boot can be read.
	again, live bool
	bad         error
	// failedLooks is how often in a row none could be.
	failedLooks int
	lost        uint64
	// has are the Wants of which the journal has something of this boot.
	has map[int]bool
	// cut are the streams whose last line goes on in the next entry.
	cut map[string]bool
}

// Open begins to read the journal in folders, which have a folder each for the machine: /var/log/journal, /run/log/journal.
// An error that is fs.ErrNotExist says that there is none.
func Open(folders []string, wants []Want, o Options) (*Reader, error) {
	r := &Reader{folders: folders, wants: wants, options: o, seen: map[id]bool{}, cut: map[string]bool{}, has: map[int]bool{}}
	var err error
	if r.boot, err = parseID(o.Boot); err != nil {
		return nil, fmt.Errorf("the boot ID: %w", err)
	}
	if err := r.scan(); err != nil {
		return nil, err
	}
	if len(r.seen) == 0 && !r.again && r.bad == nil {
		return nil, fmt.Errorf("no journal in %s: %w", strings.Join(folders, ", "), fs.ErrNotExist)
	}
	if err := r.unreadable(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// unreadable is why the journal says nothing of this boot, if it is there: what is logged now goes elsewhere, or is not to be read.
func (r *Reader) unreadable() error {
	switch {
	case r.live:
		return nil
	case r.bad != nil:
		return r.bad
	}
	return fmt.Errorf("the journal in %s has nothing of this boot: journald does not write there", strings.Join(r.folders, ", "))
}

// parseID reads an ID as a UUID is written.
func parseID(text string) (id, error) {
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(raw) != len(id{}) {
		return id{}, fmt.Errorf("%q is none", text)
	}
	return id(raw), nil
}

// Close ends it.
func (r *Reader) Close() error {
	var all []error
	for _, o := range r.open {
		all = append(all, o.handle.Close())
	}
	r.open = nil
	return errors.Join(all...)
}

// Has says whether the journal had anything of a Want, of this boot, when its folders were last looked through.
func (r *Reader) Has(want int) bool { return r.has[want] }

// Lost is how many lines journald says it lost, or could not be read in its files.
func (r *Reader) Lost() uint64 { return r.lost }

// Next is the next entry, awaited if need be. It ends with ctx.
func (r *Reader) Next(ctx context.Context) (Entry, error) {
	for {
		entry, err := r.Buffered()
		if !errors.Is(err, io.EOF) {
			return entry, err
		}
		timer := r.options.Clock.NewTimer(r.options.Poll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return Entry{}, ctx.Err()
		case <-timer.C():
		}
	}
}

// Buffered is the next entry that is there already, or io.EOF. Entries of one file's list are in order.
func (r *Reader) Buffered() (Entry, error) {
	for fresh := false; ; fresh = true {
		for _, o := range r.open {
			for {
				e, err := o.next(r)
				if errors.Is(err, io.EOF) {
					break
				}
				switch {
				case err != nil:
					r.lost++
				case e.loss:
					r.lost += lostIn(e.Message)
				default:
					return e, nil
				}
			}
		}
		if fresh {
			return Entry{}, io.EOF
		}
		if err := r.refresh(); err != nil {
			return Entry{}, err
		}
	}
}

// follow notes whether a line goes on, and says whether this entry goes on with the one before of its stream.
func (r *Reader) follow(e Entry) bool {
	if e.stream == "" {
		return false
	}
	continues := r.cut[e.stream]
	delete(r.cut, e.stream)
	if e.cut {
		r.cut[e.stream] = true
	}
	return continues
}

// maxFailedLooks is how often in a row the folders may hold nothing to be read: journald makes and renames files one after another.
const maxFailedLooks = 30

// look looks through the folders again. That there is nothing to be read for many polls is an error.
func (r *Reader) look() error {
	if err := r.scan(); err != nil {
		return err
	}
	if r.live {
		r.failedLooks = 0
		return nil
	}
	if r.failedLooks++; r.failedLooks < maxFailedLooks {
		return nil
	}
	return r.unreadable()
}

// refresh closes the files that are at their end for good, opens new ones, and looks for what is wanted in all.
func (r *Reader) refresh() error {
	rotated := r.again || len(r.open) == 0
	kept := r.open[:0]
	for _, o := range r.open {
		if !o.over() {
			kept = append(kept, o)
			continue
		}
		rotated = true
		_ = o.handle.Close()
	}
	r.open = kept
	if rotated {
		if err := r.look(); err != nil {
			return err
		}
	}
	for _, o := range r.open {
		if err := o.refresh(); err != nil {
			o.broken = true
			r.lost++
		}
	}
	return nil
}
