package journal

import "sort"

// chain is the list of entries that have a certain field. The DATA object names the first itself, and the others in arrays
// of references, each of which names the next.
type chain struct {
	data uint64 // the DATA object; 0 until the file has one
	// taken are how many entries were read, total how many there were when last asked.
	taken, total uint64
	// array is the current array, size how many it has room for, and base how many entries come before it.
	array, size, base uint64
	// last is where the last entry that was taken is. Entries are in the order in which they were written.
	last uint64
}

// take moves on to the entry after the one that was peeked at.
func (c *chain) take(at uint64) error {
	if at <= c.last {
		return errDamaged
	}
	c.taken, c.last = c.taken+1, at
	return nil
}

// peek is where the next entry is, or 0 if there is none yet.
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

// forward goes to the array with the next entry; there is none yet if the array is 0.
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

// skip passes over the entries that are old, which all come before those that are not.
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

// search is the place in the array of the first entry that is not old.
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
