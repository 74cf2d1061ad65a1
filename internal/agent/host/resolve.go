package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is the maximum number of symbolic links in a path, as in the kernel (path_resolution(7)).
const maxLinks = 40

// Resolve resolves the symbolic links of a path on a machine whose root folder is root. Absolute links, and links above the root, stay below
// root; the kernel would follow them to the agent's own files.
func Resolve(root, path string) (string, error) {
	at, links := "/", 0
	for rest := path; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if part == "" || part == "." {
			continue
		}
		next := filepath.Join(at, part) // Also for "..": the parent of / is /.
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
