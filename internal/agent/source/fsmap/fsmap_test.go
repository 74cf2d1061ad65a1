package fsmap

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// The kernel's structures, by the offsets of include/uapi/linux/fsmap.h.
func TestAnswer(t *testing.T) {
	buffer := make([]byte, headSize+2*recordSize)
	question(buffer, record{Device: 7, Physical: 4096, Length: 512})
	if got := binary.NativeEndian.Uint32(buffer[8:]); got != 2 {
		t.Errorf("asks for %d records, there is room for 2", got)
	}
	if got := get(buffer[64:]); got.Physical != 4096 || got.Length != 512 || got.Device != 7 {
		t.Errorf("asks from %+v on", got)
	}
	want := []record{
		{Device: 7, Flags: specialOwner, Physical: 8192, Owner: ownerFree, Length: 4096},
		{Device: 7, Flags: lastRecord, Physical: 12288, Owner: 131, Length: 8192},
	}
	binary.NativeEndian.PutUint32(buffer[12:], 2)
	for i, r := range want {
		put(buffer[headSize+i*recordSize:], r)
	}
	got, err := answer(buffer)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if !got[0].free() || got[1].free() {
		t.Error("free is not what is special, and of no owner")
	}
	binary.NativeEndian.PutUint32(buffer[12:], 3)
	if _, err := answer(buffer); err == nil {
		t.Error("more records than were asked for are taken")
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(make([]byte, headSize+recordSize))
	f.Fuzz(func(t *testing.T, buffer []byte) {
		records, err := answer(buffer)
		if err == nil && len(records)*recordSize+headSize > len(buffer) {
			t.Errorf("%d records of %d bytes", len(records), len(buffer))
		}
	})
}

func TestEncode(t *testing.T) {
	for _, c := range []struct{ major, minor, want uint32 }{{259, 3, 259<<8 | 3}, {8, 256, 8<<8 | 256<<12}} {
		if got := encode(unix.Mkdev(c.major, c.minor)); got != c.want {
			t.Errorf("%d:%d is %#x, want %#x", c.major, c.minor, got, c.want)
		}
	}
}

// A filesystem without a map, or of a kernel without it, is no filesystem without free space.
func TestFreeOfProc(t *testing.T) {
	folder, err := os.Open("/proc")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if space, err := Free(folder, 1000); err == nil {
		t.Errorf("read %+v of /proc", space)
	}
}
