package controlplane

// PID is the process of a child's plane.
func (p *Plane) PID() int { return p.runner.(*child).command.Process.Pid }

// Spent is why this process cannot run another plane.
func Spent() error { return inProcess.spent }
