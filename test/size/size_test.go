// Package size holds the size of the programs.
package size

import (
	"debug/elf"
	"os"
	"runtime"
	"testing"

	"github.com/naosu-dev/naosu/test/program"
)

// largest is how large naosu may be without symbols and debug information, as it is in an image (-ldflags='-s -w').
//
// If it has become much larger at once, something that it links calls methods whose names are known at run time only, and
// the linker keeps every exported method of every type, the whole of EC2's API for one. docs/adr/0013 says how to find it.
const largest = 85_000_000

func TestSize(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the bound is that of Linux")
	}
	size := stripped(t, program.Need(t, "naosu"))
	t.Logf("naosu has %d bytes", size)
	if size > largest {
		t.Errorf("naosu has %d bytes, %d at most: see docs/adr/0013", size, largest)
	}
}

// stripped is how large a program is without its symbols. Those of debugging are taken to be left out already (hack/build).
func stripped(t *testing.T, file string) uint64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	program, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	size := uint64(info.Size())
	for _, name := range []string{".symtab", ".strtab"} {
		if section := program.Section(name); section != nil {
			size -= section.FileSize
		}
	}
	return size
}
