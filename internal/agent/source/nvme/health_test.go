package nvme

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

type golden struct {
	Name        string `yaml:"name"`
	Head        string `yaml:"head"`
	MediaErrors string `yaml:"mediaErrors"`
	Source      string `yaml:"source"`
	Health      struct {
		Critical    Warning `yaml:"critical"`
		Spare       int     `yaml:"spare"`
		Threshold   int     `yaml:"threshold"`
		Used        int     `yaml:"used"`
		MediaErrors uint64  `yaml:"mediaErrors"`
	} `yaml:"health"`
	Words string `yaml:"words"`
	Error string `yaml:"error"`
}

func (g golden) page(t *testing.T) []byte {
	t.Helper()
	page := make([]byte, healthSize)
	for at, text := range map[int]string{0: g.Head, 160: g.MediaErrors} {
		raw, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		copy(page[at:], raw)
	}
	return page
}

func TestParseHealth(t *testing.T) {
	text, err := os.ReadFile("testdata/health.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var pages []golden
	if err := yaml.Unmarshal(text, &pages); err != nil {
		t.Fatal(err)
	}
	for _, g := range pages {
		t.Run(g.Name, func(t *testing.T) {
			got, err := ParseHealth(g.page(t))
			if (err == nil) != (g.Error == "") || err != nil && err.Error() != g.Error {
				t.Fatalf("error %v, want %q", err, g.Error)
			}
			if diff := cmp.Diff(Health(g.Health), got); diff != "" {
				t.Error(diff)
			}
			if got := got.Critical.String(); got != g.Words {
				t.Errorf("says %q, want %q", got, g.Words)
			}
		})
	}
	for _, size := range []int{0, 511, 4096} {
		if h, err := ParseHealth(make([]byte, size)); err == nil {
			t.Errorf("%d bytes: %+v", size, h)
		}
	}
}

func TestControllers(t *testing.T) {
	h := host.Host{Root: t.TempDir()}
	if got, err := Controllers(h); err != nil || got != nil {
		t.Errorf("without NVMe: %v, %v", got, err)
	}
	for _, name := range []string{"nvme1", "nvme0"} {
		folder := h.Path(filepath.Join("/sys/class/nvme", name))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "model"), []byte("Amazon EC2 NVMe Instance Storage        \n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Controllers(h)
	want := []Controller{
		{Name: "nvme0", Model: "Amazon EC2 NVMe Instance Storage", Device: h.Path("/dev/nvme0")},
		{Name: "nvme1", Model: "Amazon EC2 NVMe Instance Storage", Device: h.Path("/dev/nvme1")},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := ReadHealth(got[0]); err == nil {
		t.Error("a device that is absent was read")
	}
}
