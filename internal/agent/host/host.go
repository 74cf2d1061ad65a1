// Package host says where the files of the watched machine are: at / on a plain host, below a folder in a container that
// has some of them mounted.
package host

import "path/filepath"

// Host is a machine. The zero Host is the one the agent runs on.
type Host struct {
	// Root is what stands before every path of the host, "/host" for example.
	Root string
}

// Path is where the agent finds a path of the host.
func (h Host) Path(path string) string { return filepath.Join("/", h.Root, path) }
