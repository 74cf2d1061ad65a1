package ata

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

func TestParseStatus(t *testing.T) {
	text, err := os.ReadFile("testdata/status.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var answers []struct {
		Name, Sense, Error string
		Predicted          bool
	}
	if err := yaml.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		t.Run(a.Name, func(t *testing.T) {
			sense, err := hex.DecodeString(strings.ReplaceAll(a.Sense, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			predicted, err := ParseStatus(sense)
			if predicted != a.Predicted || (err == nil) != (a.Error == "") || err != nil && err.Error() != a.Error {
				t.Errorf("%v, %v; want %v, %s", predicted, err, a.Predicted, a.Error)
			}
		})
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte{0x72, 1, 0, 0x1d, 0, 0, 0, 0x0e, 9, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0xf4, 0, 0x2c, 0, 0x50})
	f.Fuzz(func(t *testing.T, sense []byte) {
		if predicted, err := ParseStatus(sense); err != nil && predicted {
			t.Errorf("%x: a failure is predicted by what cannot be read", sense)
		}
	})
}

// Offsets of the command are SAT-4's (table 145), of the header those of include/scsi/sg.h on 64 bits.
func TestCommand(t *testing.T) {
	if got := unsafe.Sizeof(header{}); got != 88 {
		t.Errorf("the header has %d bytes", got)
	}
	h := header{interfaceID: 'S', commandLength: 16, timeout: 5000, status: 2, senseWritten: 22, hostStatus: 7}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h))
	for name, field := range map[string]struct{ got, want uint32 }{
		"interface":     {binary.NativeEndian.Uint32(raw), 'S'},
		"length":        {uint32(raw[8]), 16},
		"timeout":       {binary.NativeEndian.Uint32(raw[40:]), 5000},
		"status":        {uint32(raw[64]), 2},
		"sense written": {uint32(raw[67]), 22},
		"host status":   {uint32(binary.NativeEndian.Uint16(raw[68:])), 7},
	} {
		if field.got != field.want {
			t.Errorf("%s is %d, want %d", name, field.got, field.want)
		}
	}
	// Non-data, registers wanted; feature DAh, LBA 4Fh and C2h, command B0h.
	if got, want := hex.EncodeToString(smartReturnStatus[:]), "850620"+"00da"+"0000"+"0000"+"004f"+"00c2"+"00b0"+"00"; got != want {
		t.Errorf("the command is %s, want %s", got, want)
	}
}

func TestDisks(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	if got, err := Disks(h); err != nil || got != nil {
		t.Errorf("without disks: %v, %v", got, err)
	}
	for name, files := range map[string]map[string]string{
		"sdb":     {"vendor": "ATA     ", "model": "SAMSUNG MZ7LH960", "type": "0"},
		"sda":     {"vendor": "Google  ", "model": "PersistentDisk  ", "type": "0"},
		"sr0":     {"vendor": "ATA     ", "model": "DVD", "type": "5"},
		"nvme0n1": {"model": "Amazon EC2 NVMe Instance Storage"},
		"vda":     {},
	} {
		folder := h.Path(filepath.Join("/sys/block", name, "device"))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := Disks(h)
	want := []Disk{{Name: "sdb", Model: "SAMSUNG MZ7LH960", Device: h.Path("/dev/sdb")}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := FailurePredicted(want[0]); err == nil {
		t.Error("a device that is absent was asked")
	}
}

// The kernel takes the header, and refuses the command: a device that is no disk has none.
func TestNoDisk(t *testing.T) {
	if predicted, err := FailurePredicted(Disk{Name: "null", Device: os.DevNull}); err == nil || predicted {
		t.Errorf("%v, %v", predicted, err)
	}
}
