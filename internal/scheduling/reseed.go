package scheduling

// Reseed changes what the scheduler leaves to chance from now on, and returns the seed there was. Revert does not take it
// back.
func (j *Judge) Reseed(seed uint64) (before uint64) {
	before, j.seed = j.seed, seed
	return before
}
