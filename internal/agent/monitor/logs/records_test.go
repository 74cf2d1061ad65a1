package logs

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kmsg"
)

// record is one of testdata/records, whose README says what the fields are.
type record struct {
	Log    string      `yaml:"log"`
	Raw    string      `yaml:"raw"`
	Of     []reason.ID `yaml:"of"`
	Entity string      `yaml:"entity"`
	Clears bool        `yaml:"clears"`
	From   []string    `yaml:"from"`
	Source string      `yaml:"source"`
	Why    string      `yaml:"why"`
	Real   bool        `yaml:"real"`
}

func records(t *testing.T) map[string][]record {
	t.Helper()
	files, err := filepath.Glob("testdata/records/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	all := map[string][]record{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []record
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(&list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[file] = list
	}
	return all
}

// text is the line of a record, and whether the one who wrote it is who the log is of.
func (r record) text(t *testing.T) (string, bool) {
	t.Helper()
	if r.Log != kernelLog {
		return r.Raw, true
	}
	parsed, err := kmsg.Parse([]byte(r.Raw))
	if err != nil {
		t.Errorf("%q: %v", r.Raw, err)
	}
	return parsed.Text, parsed.Facility == kmsg.Kernel && !parsed.Continues
}

func TestRecords(t *testing.T) {
	logs := compile(reason.Catalogue)
	for file, list := range records(t) {
		for _, r := range list {
			want := map[reason.ID]string{}
			for _, id := range r.Of {
				want[id] = r.Entity
			}
			got := map[reason.ID]string{}
			if text, own := r.text(t); own {
				for _, h := range logs[r.Log].match(text) {
					got[h.reason] = h.entity
					if h.clears != r.Clears {
						t.Errorf("%s: %s: clears %s: %v", file, r.Raw, h.reason, h.clears)
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s\n%s", file, r.Raw, diff)
			}
			if len(r.Of) > 0 && (len(r.From) == 0 || r.Source == "") {
				t.Errorf("%s: %s: says neither from which versions nor from where it is", file, r.Raw)
			}
			if len(r.Of) == 0 && r.Why == "" {
				t.Errorf("%s: %s: does not say why it must match nothing", file, r.Raw)
			}
		}
	}
}

// Periodic pattern has a record that it alone would miss: none is there that was never seen to match.
func TestEveryPatternHasARecord(t *testing.T) {
	var all []record
	for _, list := range records(t) {
		all = append(all, list...)
	}
	for _, r := range reason.Catalogue {
		for _, m := range r.Matches {
			p := newPattern(r.ID, m)
			proven := slices.ContainsFunc(all, func(rec record) bool {
				text, own := rec.text(t)
				if file := kubeletFile(m); file != "" {
					text = kubeletLine(text, []string{file})
				}
				return own && rec.Log == m.Log && slices.Contains(rec.Of, r.ID) && p.regexp.MatchString(text)
			})
			if !proven {
				t.Errorf("%s: no record for %s in %s", r.ID, m.Pattern, m.Log)
			}
		}
	}
}

// supported are the kernels of today's node images.
var supported = []string{"5.10", "5.15", "6.1", "6.6", "6.12"}

// Periodic reason that the kernel's log tells has a record of every kernel that nodes run.
func TestEveryKernelHasARecord(t *testing.T) {
	seen := map[reason.ID][]string{}
	for _, list := range records(t) {
		for _, r := range list {
			for _, id := range r.Of {
				if r.Log == kernelLog {
					seen[id] = append(seen[id], r.From...)
				}
			}
		}
	}
	for _, r := range reason.Catalogue {
		if !slices.ContainsFunc(r.Matches, func(m reason.Match) bool { return m.Log == kernelLog }) || r.Hardware != "" { // A driver of its maker's writes them.
			continue
		}
		for _, kernel := range supported {
			if !slices.Contains(seen[r.ID], kernel) {
				t.Errorf("%s: no record of kernel %s", r.ID, kernel)
			}
		}
	}
}
