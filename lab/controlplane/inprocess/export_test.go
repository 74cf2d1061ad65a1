package inprocess

// Spent is why this process cannot run another plane.
func Spent() error { return inProcess.spent }
