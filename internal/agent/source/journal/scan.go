package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// scan opens the files that have not been read yet.
func (r *Reader) scan() error {
	seen := map[id]bool{}
	r.again, r.live, r.bad = false, false, nil
	rotated := false // a file of this boot that nothing more is written to
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
				continue
			case errors.Is(err, fs.ErrPermission), errors.Is(err, errNewer):
				return err
			case err != nil: // It is about to be written, or damaged.
				if filepath.Base(path) == active {
					r.bad, r.again = fmt.Errorf("read %s: %w", path, err), true
				}
				continue
			}
			if last, err := o.last(); err == nil && last.boot == r.boot {
				r.live = r.live || filepath.Base(path) == active
				rotated = true
				r.notice(o)
			}
			switch {
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
	r.live = r.live || rotated && r.bad == nil
	return nil
}

// notice stores for which Wants a file has entries.
func (r *Reader) notice(o *opened) {
	if err := o.refresh(); err != nil {
		return // It is found out when it is read.
	}
	for _, l := range o.lists {
		if l.chain.data != 0 && !l.loss {
			r.has[l.want] = true
		}
	}
}

// files returns the files of the system journal in a folder, rotated ones first.
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
