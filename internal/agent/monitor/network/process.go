package network

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// process identifies a process of the host, and no later one with the same PID.
type process struct {
	pid string
	// start is when it started, in the kernel's ticks since boot.
	start string
}

// findProcess is the first process with a name (proc_pid_comm(5)) and, if one is given, an argument, that has not ended. before is tried first,
// because finding another reads a file of every process. The zero process means that there is none.
func findProcess(h host.Host, name, argument string, before process) (process, error) {
	if before.pid != "" && readProcess(h, before.pid, name) == before {
		return before, nil
	}
	dir, err := os.Open(h.Path("/proc"))
	if err != nil {
		return process{}, fmt.Errorf("look for the process %s: %w", name, err)
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return process{}, fmt.Errorf("look for the process %s: %w", name, err)
	}
	for _, pid := range names {
		if pid[0] < '1' || pid[0] > '9' {
			continue
		}
		if p := readProcess(h, pid, name); p != (process{}) && hasArgument(h, pid, argument) {
			return p, nil
		}
	}
	return process{}, nil
}

// readProcess is the process of a PID if it has that name and has not ended.
func readProcess(h host.Host, pid, name string) process {
	text, err := os.ReadFile(h.Path(filepath.Join("/proc", pid, "stat")))
	if err != nil {
		return process{} // It has ended.
	}
	// proc_pid_stat(5): PID (name) state, and the start is the 22nd; the name may hold blanks and brackets.
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open || string(text[open+1:end]) != name {
		return process{}
	}
	words := bytes.Fields(text[end+1:])
	const state, start = 0, 22 - 3
	if len(words) <= start || words[state][0] == 'Z' || words[state][0] == 'X' {
		return process{}
	}
	return process{pid: pid, start: string(words[start])}
}

// hasArgument says whether a process was started with an argument that begins so.
func hasArgument(h host.Host, pid, argument string) bool {
	if argument == "" {
		return true
	}
	line, err := os.ReadFile(h.Path(filepath.Join("/proc", pid, "cmdline")))
	return err == nil && bytes.Contains(line, append([]byte{0}, argument...))
}
