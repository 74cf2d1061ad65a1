// Package host locates the files of the machine that the agent watches: at /, or below the folder where a container has them mounted.
package host

import "path/filepath"

// Host is a machine. The zero Host is the one the agent runs on.
type Host struct {
	// Root is the folder that contains the files of the host, such as "/host". Empty: /.
	Root string
}

// Path returns where the agent finds a path of the host.
func (h Host) Path(path string) string { return filepath.Join("/", h.Root, path) }
