// Package hash is FNV-1a, and a way to spread its bits.
package hash

// Hash is FNV-1a of 64 bits. A value can be continued in several ways.
type Hash uint64

// New is the hash of nothing.
func New() Hash { return 14695981039346656037 }

// Of is the hash of a name.
func Of(name string) Hash { return New().Text(name) }

func (h Hash) with(b byte) Hash { return (h ^ Hash(b)) * 1099511628211 }

// Text continues a hash. It ends with a byte that no name holds.
func (h Hash) Text(s string) Hash {
	for i := range len(s) {
		h = h.with(s[i])
	}
	return h.with(0)
}

// Number continues a hash.
func (h Hash) Number(n uint64) Hash {
	for shift := 0; shift < 64; shift += 8 {
		h = h.with(byte(n >> shift))
	}
	return h
}

// Mixed spreads a hash over all its bits, which FNV leaves alike for names that differ at their end only.
func (h Hash) Mixed() uint64 { return Mix(uint64(h)) }

// Mix is the finalizer of SplitMix64.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
