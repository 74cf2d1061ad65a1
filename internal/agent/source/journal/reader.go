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

// Options specifies which entries are read.
type Options struct {
	// Boot is the ID of the boot whose entries are read, as in /proc/sys/kernel/random/boot_id.
	Boot string
	// Poll is the interval at which the files are checked for new entries. journald does not notify readers.
	Poll  time.Duration
	Clock clock.Clock
}

// Reader reads logs from the journal and follows it when its files are rotated. It must be used by a single goroutine.
type Reader struct {
	folders []string
	wants   []Want
	options Options
	boot    id

	open []*opened
	// seen are the IDs of all files that were opened; each is read once.
	seen map[id]bool
	// again is true if a file could not be opened in the latest scan, bad is the error, and live is true if a file of this boot can be
	// read.
	again, live bool
	bad         error
	// failedLooks is the number of consecutive scans without such a file.
	failedLooks int
	lost        uint64
	// has are the Wants for which the journal has entries of this boot.
	has map[int]bool
	// cut are the streams whose last line continues in the next entry.
	cut map[string]bool
}

// Open opens the journal in folders such as /var/log/journal and /run/log/journal, each of which contains a folder for the machine. The error
// is fs.ErrNotExist if there is no journal.
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

// unreadable returns why an existing journal has no readable entries of this boot: new entries go elsewhere, or cannot be read.
func (r *Reader) unreadable() error {
	switch {
	case r.live:
		return nil
	case r.bad != nil:
		return r.bad
	}
	return fmt.Errorf("the journal in %s has nothing of this boot: journald does not write there", strings.Join(r.folders, ", "))
}

// parseID parses an ID in the format of a UUID.
func parseID(text string) (id, error) {
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(raw) != len(id{}) {
		return id{}, fmt.Errorf("%q is none", text)
	}
	return id(raw), nil
}

// Close closes all files.
func (r *Reader) Close() error {
	var all []error
	for _, o := range r.open {
		all = append(all, o.handle.Close())
	}
	r.open = nil
	return errors.Join(all...)
}

// Has reports whether the journal had entries of this boot for a Want in the latest scan.
func (r *Reader) Has(want int) bool { return r.has[want] }

// Lost returns the number of lines that journald reported as lost or that could not be read.
func (r *Reader) Lost() uint64 { return r.lost }

// Next returns the next entry and waits for it if necessary, until ctx ends.
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

// Buffered returns the next existing entry, or io.EOF. Entries of one list of a file are in order.
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

// follow stores whether a line continues in the next entry, and reports whether this entry continues the previous one of its stream.
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

// maxFailedLooks is the maximum number of consecutive scans without a readable file: journald creates and renames files one after another.
const maxFailedLooks = 30

// look scans the folders again. No readable file in many consecutive scans is an error.
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

// refresh closes finished files, opens new ones, and searches all of them for requested values.
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
