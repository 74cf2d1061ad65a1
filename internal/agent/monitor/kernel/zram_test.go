package kernel

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A device of compressed memory takes a hundredth of the host's, and is reset.
func TestZram(t *testing.T) {
	agenttest.Need(t, agenttest.Root)
	memory, err := memTotal(host.Host{})
	if err != nil {
		t.Fatal(err)
	}
	want := memory/100 + 16<<20
	if want > 1<<30 {
		t.Skipf("not run: a hundredth of this machine's memory is %d MiB", want>>20)
	}
	set := func(path, value string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(value), 0o644); err != nil {
			t.Error(err)
		}
	}
	name := agenttest.NewZram(t)
	o := DefaultOptions()
	o.Zram = 1
	w := watch(t, "zram", o)
	set("/sys/block/"+name+"/disksize", fmt.Sprint(2*want))
	device, err := os.OpenFile("/dev/"+name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.CopyN(device, rand.Reader, want) // which nothing compresses
	if err := errors.Join(err, device.Sync(), device.Close()); err != nil {
		t.Fatal(err)
	}
	w.Stands(reason.ZramHighUsage, name)
	set("/sys/block/"+name+"/reset", "1")
	w.Goes(reason.ZramHighUsage, name)
}

func TestZramUsage(t *testing.T) {
	const unused = "       0        0        0        0        0        0        0        0        0\n"
	for name, tc := range map[string]struct {
		devices map[string]string
		want    []string
	}{
		"no device":         {nil, []string{"ZramHighUsage Inapplicable "}},
		"one that is unset": {map[string]string{"zram0": unused}, []string{"ZramHighUsage Inapplicable "}},
		// The device is half full, which takes 5 % of the memory.
		"swap in ordinary use": {map[string]string{"zram0": "4294967296 800000000 858993459 0 900000000 1000 0 20 0\n"}, nil},
		"too much":             {map[string]string{"zram0": unused, "zram1": "9000000000 2000000000 2147483648 0 2147483648 1000 0 20 0\n"}, []string{"ZramHighUsage Fault zram1"}},
		"Linux before 4.18":    {map[string]string{"zram0": "9000000000 2000000000 2147483648 0 2147483648 1000 0\n"}, []string{"ZramHighUsage Fault zram0"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			write(t, filepath.Join(h.Root, "proc/meminfo"), "MemTotal:       16777216 kB\nMemFree:         100 kB\n")
			for device, text := range tc.devices {
				write(t, filepath.Join(h.Root, "sys/block", device, "mm_stat"), text)
			}
			found, err := zram{h, 10}.find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			compare(t, tc.want, found)
		})
	}
}
