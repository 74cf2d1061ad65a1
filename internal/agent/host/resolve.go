package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is over how many symbolic links a path may lead, as for the kernel (path_resolution(7)).
const maxLinks = 40

// Resolve is where a path leads on a machine whose root folder is root. Its absolute symbolic links, and those that climb above it,
// stay below root; the kernel would follow them to files of the agent's own.
func Resolve(root, path string) (string, error) {
	at, links := "/", 0
	for rest := path; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if part == "" || part == "." {
			continue
		}
		next := filepath.Join(at, part) // Of ".." too: what is above / is /.
		target, err := os.Readlink(filepath.Join(root, next))
		switch {
		case part == ".." || errors.Is(err, syscall.EINVAL): // no symbolic link
			at = next
			continue
		case err != nil:
			return "", err
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: %w", path, syscall.ELOOP)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = target + "/" + rest
	}
	return filepath.Join(root, at), nil
}
