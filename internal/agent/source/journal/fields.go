package journal

import (
	"bytes"
	"slices"
)

// column is the list of the values of a field in a file, the latest first.
type column struct {
	name  string
	field uint64 // offset of the FIELD object; 0 until the file has one
	seen  uint64 // offset of the latest value that was read
	// lists are the lists of the requested values.
	lists []*list
}

// refresh searches the values that were added since the last call for requested ones.
func (c *column) refresh(f *file) error {
	if !slices.ContainsFunc(c.lists, func(l *list) bool { return l.chain.data == 0 }) {
		return nil
	}
	if c.field == 0 {
		at, err := f.field(c.name)
		if err != nil || at == 0 {
			return err
		}
		c.field = at
	}
	latest, err := f.number(c.field + 32)
	if err != nil {
		return err
	}
	for at := latest; at > c.seen; {
		if err := c.look(f, at); err != nil {
			return err
		}
		next, err := f.number(at + 32)
		if err != nil {
			return err
		}
		if next >= at {
			return errDamaged
		}
		at = next
	}
	c.seen = latest
	return nil
}

// look stores the offset of a value if it is requested.
func (c *column) look(f *file, at uint64) error {
	head := f.head()
	size, err := f.object(at, typeData, f.buf[:head])
	if err != nil {
		return err
	}
	packed := f.buf[1] != 0
	for _, l := range c.lists {
		if l.chain.data != 0 || !packed && size-head != uint64(len(c.name)+1+len(l.field.value)) {
			continue
		}
		payload, err := f.payload(at)
		if err != nil {
			continue // Requested values are short and can always be decompressed.
		}
		if name, is, _ := bytes.Cut(payload, []byte{'='}); string(name) == c.name && string(is) == l.field.value {
			l.chain.data = at
		}
	}
	return nil
}

// field returns the offset of the FIELD object of a name, or 0. It searches the whole hash table, which is small, so that it needs neither
// of the two hash functions that files use.
func (f *file) field(name string) (uint64, error) {
	table := make([]byte, f.fieldsLen/16*16)
	if err := f.read(f.fields, table); err != nil {
		return 0, err
	}
	left := maxFields
	for ; len(table) > 0; table = table[16:] {
		for at := le(table); at != 0; left-- {
			size, err := f.object(at, typeField, f.buf[:sizeField])
			if err != nil {
				return 0, err
			}
			next := le(f.buf[24:])
			if size-sizeField == uint64(len(name)) {
				text := f.buf[sizeField:min(sizeField+len(name), len(f.buf))]
				if err := f.read(at+sizeField, text); err != nil {
					return 0, err
				}
				if string(text) == name {
					return at, nil
				}
			}
			if next != 0 && next <= at || left == 0 {
				return 0, errDamaged
			}
			at = next
		}
	}
	return 0, nil
}
