package scheduling

// hash is FNV-1a of 64 bits. A value can be continued in several ways.
type hash uint64

func newHash() hash { return 14695981039346656037 }

func hashOf(name string) hash { return newHash().text(name) }

func (h hash) with(b byte) hash { return (h ^ hash(b)) * 1099511628211 }

// text ends with a byte that no name holds.
func (h hash) text(s string) hash {
	for i := range len(s) {
		h = h.with(s[i])
	}
	return h.with(0)
}

func (h hash) number(n uint64) hash {
	for shift := 0; shift < 64; shift += 8 {
		h = h.with(byte(n >> shift))
	}
	return h
}

// mixed spreads a hash over all its bits, which FNV leaves alike for names that differ at their end only.
func (h hash) mixed() uint64 { return mix(uint64(h)) }

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
