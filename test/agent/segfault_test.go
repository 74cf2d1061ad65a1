package agent

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Processes that write to where nothing is, or run what is no instruction, are ended by the kernel, which says so.
func TestSegfault(t *testing.T) {
	agenttest.Need(t, agenttest.Root)
	w := agenttest.Watch(t, kernelLog(t), oneSecond(reason.AppCrash))
	for name, tc := range map[string]struct {
		code []byte
		says string
	}{
		own("seg"): {nullPointer, "]: segfault at 0 ip "},
		own("ud"):  {noInstruction, "trap invalid opcode ip:"},
	} {
		crash(t, name, tc.code)
		w.Stands(reason.AppCrash, name, tc.says)
		w.Goes(reason.AppCrash, name)
	}
}

var (
	nullPointer   = []byte{0x31, 0xc0, 0x89, 0x00} // xor eax, eax; mov [rax], eax
	noInstruction = []byte{0x0f, 0x0b}             // ud2
)

// crash runs a program of that name that crashes.
func crash(t *testing.T, name string, code []byte) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("not run: its programs are for amd64")
	}
	program := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(program, elf(code), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := exec.CommandContext(t.Context(), program).Run(); err == nil {
		t.Fatal("it ended well")
	}
}

// elf is the smallest program that runs some machine code: a header, one segment (elf(5)).
func elf(code []byte) []byte {
	const at, headers = 0x400000, 64 + 56
	var b bytes.Buffer
	b.WriteString("\x7fELF\x02\x01\x01")
	b.Write(make([]byte, 9))
	for _, field := range []any{
		uint16(2), uint16(62), uint32(1), uint64(at + headers), uint64(64), uint64(0), uint32(0), // executable, x86-64, entry, program headers
		uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0),
		uint32(1), uint32(5), uint64(0), uint64(at), uint64(at), // load, read and execute
		uint64(headers + len(code)), uint64(headers + len(code)), uint64(0x1000),
	} {
		_ = binary.Write(&b, binary.LittleEndian, field)
	}
	b.Write(code)
	return b.Bytes()
}
