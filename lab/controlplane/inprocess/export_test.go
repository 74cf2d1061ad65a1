package inprocess

// Unusable is why this process cannot run another plane.
func Unusable() error { return inProcess.unusable }
