package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// leastVariable is the least size of a variable in bytes, as A_1=x with its terminator: an environment that is too small to hold the number
// of variables looked for is not read.
const leastVariable = 6

// processes reads all processes, once for both reasons.
type processes struct {
	host      host.Host
	zombies   Count
	variables Count
}

func (p processes) find(context.Context) ([]evidence.Evidence, error) {
	zombies := map[int]int{}        // by parent
	largest := map[string]process{} // by name, those whose environment may be too large
	seen, hidden := 0, 0
	err := walk(p.host.Path("/proc"), func(found process) {
		switch {
		case found.zombie():
			zombies[found.parent]++
		case found.kernel:
		case found.hidden:
			hidden++
		default:
			seen++
			if found.environ >= int64(p.variables)*leastVariable && found.environ > largest[string(found.name)].environ {
				largest[string(found.name)] = found
			}
		}
	})
	if err != nil {
		return nil, err
	}
	faults := append(p.zombieParents(zombies), p.environments(largest)...)
	if hidden > seen {
		why := fmt.Sprintf("the environment of %d of %d processes may not be read (CAP_SYS_PTRACE)", hidden, hidden+seen)
		faults = append(faults, unreadable(reason.LargeEnvironment, "/proc", why))
	}
	return faults, nil
}

// zombieParents are the parents with too many zombies.
func (p processes) zombieParents(zombies map[int]int) (found []evidence.Evidence) {
	for _, parent := range slices.Sorted(maps.Keys(zombies)) {
		n := zombies[parent]
		if n < int(p.zombies) {
			continue
		}
		text, err := os.ReadFile(p.host.Path(fmt.Sprintf("/proc/%d/stat", parent)))
		if err != nil {
			continue // Ended meanwhile; its zombies are init's, which reaps them.
		}
		of, err := parseStat(text)
		if err != nil {
			continue
		}
		found = append(found, fault(reason.ExcessiveZombieProcesses, fmt.Sprintf("%s[%d]", of.name, parent), "/proc/*/stat",
			fmt.Sprintf("%d children of PID %d (%s) are zombies", n, parent, of.name)))
	}
	return found
}

// environments are those that are too large.
func (p processes) environments(largest map[string]process) (found []evidence.Evidence) {
	for _, name := range slices.Sorted(maps.Keys(largest)) {
		file := fmt.Sprintf("/proc/%d/environ", largest[name].pid)
		n, err := countVariables(p.host.Path(file))
		if err != nil || n <= int(p.variables) {
			continue // It has ended, or may not be read.
		}
		found = append(found, fault(reason.LargeEnvironment, name, file, fmt.Sprintf("%d variables in %d bytes", n, largest[name].environ)))
	}
	return found
}

// countVariables counts the terminators of variables, without keeping their text.
func countVariables(file string) (n int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buffer := make([]byte, 32<<10)
	for {
		read, err := f.Read(buffer)
		n += bytes.Count(buffer[:read], []byte{0})
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// process is what is read of /proc/PID/stat (proc_pid_stat(5)).
type process struct {
	pid, parent int
	name        []byte // valid until the next one is read
	state       byte
	threads     int64
	environ     int64 // bytes
	// kernel says that it is a kernel thread, hidden that the agent may not see its addresses, and so not its environment's size.
	kernel, hidden bool
}

// zombie says whether it has ended and waits for its parent. A process whose first thread alone has ended is in state Z, too, and is no zombie.
func (p process) zombie() bool { return p.state == 'Z' && p.threads <= 1 }

// walk reads the stat file of every process into one buffer, and calls visit with each.
func walk(proc string, visit func(process)) error {
	dir, err := os.Open(proc)
	if err != nil {
		return err
	}
	defer dir.Close()
	stats := statReader{dir: int(dir.Fd())}
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			if name[0] < '1' || name[0] > '9' {
				continue
			}
			text, err := stats.read(name)
			if err != nil {
				continue // It ended meanwhile.
			}
			found, err := parseStat(text)
			if err != nil {
				return fmt.Errorf("read %s: %w", filepath.Join(proc, name, "stat"), err)
			}
			visit(found)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// The positions of the fields of a stat file that are read, counted from the state, which is the third field.
var statFields = [...]int{1, 17, 20, 23, 47, 48}

// Indexes into statFields.
const (
	statParent = iota
	statThreads
	statMemory
	statCode
	statEnv
	statEnvEnd
)

// parseStat reads a stat file. The name may hold blanks and brackets.
func parseStat(text []byte) (p process, err error) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 2 || end < open || len(text) < end+3 {
		return p, fmt.Errorf("%w: %q", errFormat, text)
	}
	p.name, p.state = text[open+1:end], text[end+2]
	if p.pid, err = strconv.Atoi(string(text[:open-1])); err != nil {
		return p, err
	}
	var values [len(statFields)]int64
	rest, read := bytes.TrimSpace(text[end+2:]), 0
	for place := 0; read < len(statFields) && len(rest) > 0; place++ {
		word, after, _ := bytes.Cut(rest, []byte{' '})
		rest = after
		if place != statFields[read] {
			continue
		}
		if values[read], err = strconv.ParseInt(string(word), 10, 64); err != nil {
			return p, err
		}
		read++
	}
	if read < len(statFields) {
		return p, fmt.Errorf("%w: %q", errFormat, text) // Linux before 3.5 says nothing of environments.
	}
	p.parent, p.threads, p.environ = int(values[statParent]), values[statThreads], values[statEnvEnd]-values[statEnv]
	// Without leave to look the kernel writes 1 for the first address of the code and 0 for the environment (fs/proc/array.c).
	p.kernel, p.hidden = values[statMemory] == 0, values[statCode] == 1 && values[statEnvEnd] == 0
	return p, nil
}
