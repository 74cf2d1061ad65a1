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
	// again says that a file could not be opened when the folders were last looked through.
	again bool
	lost  uint64
	// cut are the streams whose last line goes on in the next entry.
	cut map[string]bool
}

// Open begins to read the journal in folders, which have a folder each for the machine: /var/log/journal, /run/log/journal.
// An error that is fs.ErrNotExist says that there is none.
func Open(folders []string, wants []Want, o Options) (*Reader, error) {
	r := &Reader{folders: folders, wants: wants, options: o, seen: map[id]bool{}, cut: map[string]bool{}}
	var err error
	if r.boot, err = parseID(o.Boot); err != nil {
		return nil, fmt.Errorf("the boot ID: %w", err)
	}
	if err := r.scan(); err != nil {
		return nil, err
	}
	if len(r.seen) == 0 && !r.again {
		return nil, fmt.Errorf("no journal in %s: %w", strings.Join(folders, ", "), fs.ErrNotExist)
	}
	return r, nil
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
		if err := r.scan(); err != nil {
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
