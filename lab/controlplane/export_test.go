package controlplane

import "path/filepath"

// PID is the process of a child's plane.
func (p *Plane) PID() int { return p.runner.(*child).command.Process.Pid }

// LastWords is what a child wrote to its standard error.
func LastWords(p *Plane) string { return p.runner.(*child).log.String() }

// RunFolder is a child's folder of temporary files.
func RunFolder(p *Plane) string { return p.runner.(*child).run }

// Spent is why this process cannot run another plane.
func Spent() error { return inProcess.spent }

// TryLock reports whether nobody holds a data folder.
func TryLock(dir string) error {
	lock, err := acquire(filepath.Join(dir, dataLock), 0)
	if err != nil {
		return err
	}
	return lock.Close()
}
