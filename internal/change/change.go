package change

// Change is one thing that can be done to a cluster. The family is sealed: only this package adds to it.
type Change interface {
	// Subject is what the change is done to.
	Subject() Ref
	// Command is what a person would type to make the change. What they must fill in stands in angle brackets, as in
	// <cluster>. It is empty where no single command makes the change.
	Command() string
	sealed()
}
