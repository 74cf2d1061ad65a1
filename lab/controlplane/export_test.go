package controlplane

// PID is the process of a child's plane.
func (p *Plane) PID() int { return p.runner.(*child).command.Process.Pid }

// StderrTail is what a child wrote to its standard error.
func StderrTail(p *Plane) string { return p.runner.(*child).log.String() }

// RunFolder is a child's folder of temporary files.
func RunFolder(p *Plane) string { return p.runner.(*child).run }
