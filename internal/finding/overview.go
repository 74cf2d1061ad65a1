package finding

// Overview answers what does not run that should.
type Overview struct {
	// Explanations are of pods, and of workloads whose trouble is no pod's; those of one cause stand together, the cause that
	// concerns most first.
	Explanations []Explanation `json:"explanations"`
	// Elsewhere is how many pods of those asked about, but outside the namespace, do not run as they should.
	Elsewhere int `json:"elsewhere"`
	// Unknown is what could not be read.
	Unknown []Gap `json:"unknown"`
}
