package scheduling

// Reseed changes the seed from now on, and returns the seed before. Revert does not restore it.
func (j *Judge) Reseed(seed uint64) (before uint64) {
	before, j.seed = j.seed, seed
	return before
}
