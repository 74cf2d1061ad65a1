package journal

import "sort"

// chain is the list of entries with a certain field value. The DATA object refers to the first entry itself, and to the others through a
// linked list of arrays.
type chain struct {
	data uint64 // offset of the DATA object; 0 until the file has one
	// taken is the number of entries that were read, total the number of entries when it was last read.
	taken, total uint64
	// array is the offset of the current array, size its capacity, and base the number of entries before it.
	array, size, base uint64
	// last is the offset of the last entry that was read. Entries are in the order in which they were written.
	last uint64
}

// take marks the entry that peek returned as read.
func (c *chain) take(at uint64) error {
	if at <= c.last {
		return errDamaged
	}
	c.taken, c.last = c.taken+1, at
	return nil
}

// peek returns the offset of the next entry, or 0 if there is none yet.
func (c *chain) peek(f *file) (uint64, error) {
	if c.data == 0 {
		return 0, nil
	}
	if c.taken == c.total {
		total, err := f.number(c.data + 56)
		if err != nil || total <= c.taken {
			return 0, err
		}
		c.total = total
	}
	if c.taken == 0 {
		return f.number(c.data + 40)
	}
	if err := c.forward(f); err != nil || c.array == 0 {
		return 0, err
	}
	return f.reference(c.array + sizeArray + (c.taken-c.base)*f.item())
}

// forward sets array to the array with the next entry; 0 if there is none yet.
func (c *chain) forward(f *file) error {
	for c.array == 0 || c.taken >= c.base+c.size {
		at := c.data + 48
		if c.array != 0 {
			at = c.array + sizeObject
		}
		next, err := f.number(at)
		if err != nil || next == 0 {
			return err
		}
		if next <= c.array {
			return errDamaged
		}
		var head [sizeArray]byte
		length, err := f.object(next, typeArray, head[:])
		if err != nil {
			return err
		}
		base := uint64(1)
		if c.array != 0 {
			base = c.base + c.size
		}
		c.array, c.base, c.size = next, base, (length-sizeArray)/f.item()
		if c.size == 0 || c.size > 1<<32 {
			return errDamaged
		}
	}
	return nil
}

// skip skips old entries, all of which precede the others.
func (c *chain) skip(f *file, old func(entry uint64) (bool, error)) error {
	at, err := c.peek(f)
	if err != nil || at == 0 {
		return err
	}
	is, err := old(at)
	if err != nil || !is {
		return err
	}
	c.taken = 1
	for c.taken < c.total {
		if err := c.forward(f); err != nil || c.array == 0 {
			return err
		}
		here := min(c.size, c.total-c.base)
		young, err := c.search(f, here, old)
		if err != nil {
			return err
		}
		c.taken = c.base + young
		if young < here {
			return nil
		}
	}
	return nil
}

// search returns the index in the array of the first entry that is not old.
func (c *chain) search(f *file, here uint64, old func(uint64) (bool, error)) (uint64, error) {
	var failed error
	is := func(i int) bool {
		if failed != nil {
			return true
		}
		at, err := f.reference(c.array + sizeArray + uint64(i)*f.item())
		var before bool
		if err == nil {
			before, err = old(at)
		}
		failed = err
		return err != nil || !before
	}
	if here == 0 || !is(int(here-1)) { // Mostly the whole array is old.
		return here, failed
	}
	return uint64(sort.Search(int(here), is)), failed
}
