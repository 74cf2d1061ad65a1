package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// active is the name of the file that journald writes to; rotated ones are system@….journal, and system@….journal~ after a
// crash. Files of users are not read: neither the kernel nor a unit of the system logs there.
const active = "system.journal"

// opened is an open journal file.
type opened struct {
	*file
	path    string
	handle  *os.File
	columns map[string]*column
	lists   []*list
	unused  unused
	// complete is true if journald had finished writing the file when it was last checked.
	complete, broken bool
}

// list is the list of entries with one field value, for one Want.
type list struct {
	want    int
	loss    bool // they tell of losses
	field   field
	chain   chain
	started bool
	broken  bool
}

func (r *Reader) openFile(path string) (*opened, error) {
	handle, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := openFile(handle)
	if err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	o := &opened{file: f, path: path, handle: handle, columns: map[string]*column{}}
	o.want(r.wants)
	return o, nil
}

func (o *opened) want(wants []Want) {
	for i, want := range wants {
		for _, field := range want.fields {
			o.list(&list{want: i, field: field})
		}
		for _, field := range want.losses {
			o.list(&list{want: i, field: field, loss: true})
		}
	}
}

func (o *opened) list(l *list) {
	c := o.columns[l.field.name]
	if c == nil {
		c = &column{name: l.field.name}
		o.columns[l.field.name] = c
	}
	c.lists, o.lists = append(c.lists, l), append(o.lists, l)
}

// stale reports whether all entries of the file are too old and no more will be added.
func (o *opened) stale(r *Reader) bool {
	last, err := o.last()
	if err != nil || filepath.Base(o.path) == active {
		return false
	}
	return last.boot != r.boot || !slices.ContainsFunc(r.wants, func(w Want) bool { return last.up > uint64(w.After/time.Microsecond) })
}

// over reports whether the file was read completely and no more entries will be added.
func (o *opened) over() bool {
	if o.complete || o.broken {
		return true
	}
	o.complete = filepath.Base(o.path) != active || o.archived() || o.replaced()
	return false
}

// replaced reports whether another file now has its name.
func (o *opened) replaced() bool {
	mine, err := o.handle.Stat()
	if err != nil {
		return true
	}
	other, err := os.Stat(o.path)
	return err != nil || !os.SameFile(mine, other)
}

func (o *opened) refresh() error {
	for _, c := range o.columns {
		if err := c.refresh(o.file); err != nil {
			return err
		}
	}
	return nil
}

// next returns the next entry of one of the lists, or io.EOF.
func (o *opened) next(r *Reader) (Entry, error) {
	for _, l := range o.lists {
		for !l.broken {
			at, err := o.ahead(l, r)
			if at == 0 && err == nil {
				break
			}
			if err == nil {
				err = l.chain.take(at)
			}
			if err != nil {
				l.broken = true
				return Entry{}, err
			}
			e, err := o.entry(at, &o.unused)
			if err != nil {
				return Entry{}, err
			}
			e.Continues = r.follow(e)
			if e.Want, e.loss = l.want, l.loss; l.field.own == nil || l.field.own(e) {
				return e, nil
			}
		}
	}
	return Entry{}, io.EOF
}

// ahead returns the offset of the next entry of a list, skipping entries that are too old.
func (o *opened) ahead(l *list, r *Reader) (uint64, error) {
	at, err := l.chain.peek(o.file)
	if err != nil || at == 0 || l.started {
		return at, err
	}
	after := uint64(r.wants[l.want].After / time.Microsecond)
	var before uint64
	err = l.chain.skip(o.file, func(entry uint64) (bool, error) {
		s, err := o.stamp(entry)
		old := s.boot != r.boot || s.up <= after
		if old {
			before = max(before, entry)
		}
		return old, err
	})
	if err != nil {
		return 0, err
	}
	if before != 0 { // The first entry that is read may go on with a line that began before.
		if e, err := o.entry(before, &o.unused); err == nil {
			r.follow(e)
		}
	}
	l.started = true
	return l.chain.peek(o.file)
}
