package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// scan opens the files that were not read yet.
func (r *Reader) scan() error {
	seen := map[id]bool{}
	r.again = false
	for _, folder := range r.folders {
		paths, err := files(folder)
		if err != nil {
			return err
		}
		for _, path := range paths {
			o, err := r.openFile(path)
			switch {
			case errors.Is(err, fs.ErrNotExist): // It was rotated away, and is there under another name.
				r.again = true
			case errors.Is(err, fs.ErrPermission), errors.Is(err, errNewer):
				return err
			case err != nil: // It is about to be written, or damaged.
				r.again = r.again || filepath.Base(path) == active
			case r.seen[o.id], seen[o.id], o.stale(r):
				seen[o.id] = true
				_ = o.handle.Close()
			default:
				seen[o.id] = true
				r.open = append(r.open, o)
			}
		}
	}
	r.seen = seen
	return nil
}

// files are those of the system's journal below a folder, rotated ones first.
func files(folder string) ([]string, error) {
	machines, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all, newest []string
	for _, machine := range machines {
		if len(machine.Name()) != 32 { // A machine ID; journals of namespaces have a suffix.
			continue
		}
		entries, err := os.ReadDir(filepath.Join(folder, machine.Name()))
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			path := filepath.Join(folder, machine.Name(), entry.Name())
			if entry.Name() == active {
				newest = append(newest, path)
			} else if is, _ := filepath.Match("system@*.journal*", entry.Name()); is {
				all = append(all, path)
			}
		}
	}
	return append(all, newest...), nil
}
