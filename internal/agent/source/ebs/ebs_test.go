package ebs

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

type golden struct {
	Name  string   `yaml:"name"`
	Magic uint32   `yaml:"magic"`
	Words []uint64 `yaml:"words"`
	Error string   `yaml:"error"`

	VolumeIOPS         time.Duration `yaml:"volumeIOPS"`
	VolumeThroughput   time.Duration `yaml:"volumeThroughput"`
	InstanceIOPS       time.Duration `yaml:"instanceIOPS"`
	InstanceThroughput time.Duration `yaml:"instanceThroughput"`
}

func (g golden) page() []byte {
	page := make([]byte, pageSize)
	binary.LittleEndian.PutUint32(page, g.Magic)
	for i, word := range g.Words {
		binary.LittleEndian.PutUint64(page[8+8*i:], word)
	}
	return page
}

func TestParse(t *testing.T) {
	text, err := os.ReadFile("testdata/page.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var pages []golden
	if err := yaml.Unmarshal(text, &pages); err != nil {
		t.Fatal(err)
	}
	for _, g := range pages {
		t.Run(g.Name, func(t *testing.T) {
			got, err := Parse(g.page())
			if (err == nil) != (g.Error == "") || err != nil && err.Error() != g.Error {
				t.Fatalf("error %v, want %q", err, g.Error)
			}
			want := Exceeded{
				VolumeIOPS: g.VolumeIOPS, VolumeThroughput: g.VolumeThroughput, InstanceIOPS: g.InstanceIOPS, InstanceThroughput: g.InstanceThroughput,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{})
	f.Add(golden{Magic: pageMagic, Words: []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}.page())
	f.Fuzz(func(t *testing.T, page []byte) {
		got, err := Parse(page)
		if err != nil && got != (Exceeded{}) {
			t.Errorf("%+v with an error", got)
		}
	})
}

func TestVolumes(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	if got, err := Volumes(h); err != nil || got != nil {
		t.Errorf("without NVMe: %v, %v", got, err)
	}
	for name, words := range map[string][2]string{
		"nvme0": {"Amazon Elastic Block Store              ", "vol0123456789abcdef0"},
		"nvme1": {"Amazon EC2 NVMe Instance Storage        ", "AWS2BEC1D8F0A1B2C3D4"},
	} {
		folder := h.Path(filepath.Join("/sys/class/nvme", name))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for i, file := range []string{"model", "serial"} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(words[i]+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := Volumes(h)
	want := []Volume{{ID: "vol-0123456789abcdef0", Device: h.Path("/dev/nvme0")}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := Read(want[0]); err == nil {
		t.Error("a device that is absent was read")
	}
}
