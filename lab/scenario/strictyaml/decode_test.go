package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type inner struct {
	Depth int `json:"depth"`
}

// shout decodes itself.
type shout string

func (s *shout) UnmarshalStrict(d *Document, n *yaml.Node, path string) {
	if n.Value == "" {
		d.Fail(n, path, "says nothing")
	}
	*s = shout(strings.ToUpper(n.Value))
}

type sample struct {
	Embedded `json:",inline"`

	Text     string             `json:"text"`
	Flag     bool               `json:"flag,omitempty"`
	Small    int8               `json:"small,omitempty"`
	Unsigned uint64             `json:"unsigned,omitempty"`
	Fraction float64            `json:"fraction,omitempty"`
	Pointer  *inner             `json:"pointer,omitempty"`
	List     []inner            `json:"list,omitempty"`
	Map      map[string]int     `json:"map,omitempty"`
	Any      any                `json:"any,omitempty"`
	Bytes    []byte             `json:"bytes,omitempty"`
	Wait     metav1.Duration    `json:"wait,omitzero"`
	Quantity *resource.Quantity `json:"quantity,omitempty"`
	When     *metav1.Time       `json:"when,omitempty"`
	Pod      *corev1.PodSpec    `json:"pod,omitempty"`
	Shout    shout              `json:"shout,omitempty"`
	Hidden   string             `json:"-"`
}

// Embedded has its fields in those of the struct around it.
type Embedded struct {
	Width int `json:"width,omitempty"`
}

func TestDecode(t *testing.T) {
	quantity := resource.MustParse("1500m")
	text := `
text: "5"
width: 7
flag: true
small: -8
unsigned: 18
fraction: 2
pointer: &p {depth: 1}
list: [*p, {depth: 2}]
map: {a.b/c: 1, d: 0x10}
any: {list: [1, 2.5, yes, true, null, 2001-01-01], empty: {}}
bytes: aGk=
wait: 1h30m
quantity: 1500m
when: 2026-11-21T08:00:00Z
shout: hey
`
	want := sample{
		Embedded: Embedded{Width: 7}, Text: "5", Flag: true, Small: -8, Unsigned: 18, Fraction: 2, Pointer: &inner{1},
		List: []inner{{1}, {2}}, Map: map[string]int{"a.b/c": 1, "d": 16},
		Any:   map[string]any{"list": []any{int64(1), 2.5, "yes", true, nil, "2001-01-01"}, "empty": map[string]any{}},
		Bytes: []byte("hi"), Wait: metav1.Duration{Duration: 90 * time.Minute}, Quantity: &quantity,
		When: &metav1.Time{Time: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}, Shout: "HEY",
	}
	var got sample
	if _, err := Decode("f.yaml", []byte(text), &got); err != nil {
		t.Fatal(err)
	}
	sameTime := cmp.Comparer(func(a, b metav1.Time) bool { return a.Equal(&b) })
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sample{}), sameTime); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "f.yaml:1:1: the file is empty"},
		{"only a comment", "# nothing", "f.yaml:1:1: the file is empty"},
		{"not a mapping", "- 1", "f.yaml:1:1: is a list, but must be a mapping of fields to values"},
		{"null document", "null", "f.yaml:1:1: is empty, but must be a mapping of fields to values"},
		{"required", "width: 1", "f.yaml:1:1: text: is missing; add it"},
		{"required and empty", "text:", "f.yaml:1:1: text: is empty; give it a value or leave it out"},
		{"hidden", "text: a\nhidden: b", "f.yaml:2:1: hidden: unknown field; it can be one of: any, bytes, flag, fraction, list, map, pod, pointer, quantity, shout, small, text, unsigned, wait, when, width"},
		{"case", "Text: a", "f.yaml:1:1: Text: unknown field; did you mean \"text\"?\nf.yaml:1:1: text: is missing; add it"},
		{
			"inside a list", "text: a\nlist:\n  - depth: 1\n  - deep: 1",
			"f.yaml:4:5: list[1].deep: unknown field; it can be one of: depth\nf.yaml:4:5: list[1].depth: is missing; add it",
		},
		{"too large for the field", "text: a\nsmall: 300", "f.yaml:2:8: small: is the number 300, but must be a whole number"},
		{"too large at all", "text: a\nmap: {a: 99999999999999999999}", "f.yaml:2:10: map.a: is the number 99999999999999999999, but must be a whole number"},
		{"negative", "text: a\nunsigned: -1", "f.yaml:2:11: unsigned: is the number -1, but must be a whole number of at least zero"},
		{"infinite", "text: a\nany: .inf", "f.yaml:2:6: any: has a value that JSON cannot hold"},
		{"tagged", "text: a\nany: !!binary aGk=", "f.yaml:2:6: any: has a value that JSON cannot hold"},
		{"not base64", "text: a\nbytes: '?'", `f.yaml:2:8: bytes: is the text "?", but must be base64`},
		{"quantity", "text: a\nquantity: much", `f.yaml:2:11: quantity: cannot be read as resource.Quantity: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`},
		{"a key with a path's letters", "text: a\nmap: {a.b: c}", `f.yaml:2:12: map["a.b"]: is the text "c", but must be a whole number`},
		{"own decoding", "text: a\nshout: ''", "f.yaml:2:8: shout: says nothing"},
		{"Kubernetes type", "text: a\npod: {containers: [{name: a, imag: b}]}", `f.yaml:2:30: pod.containers[0].imag: unknown field; did you mean "image"?`},
		{"cycle", "text: a\nany: &a [*a]", "f.yaml:2:10: any[0][0]: the alias *a contains itself"},
		{"undefined alias", "text: *a", "f.yaml:1:1: unknown anchor 'a' referenced"},
		{"list as a key", "text: a\nmap: {[1]: 2}", "f.yaml:2:7: map: has a key that is not plain text; merge keys (<<) and others are not supported"},
		{"all at once", "flag: 1\nsmall: x\n", "f.yaml:1:1: text: is missing; add it\nf.yaml:1:7: flag: is the number 1, but must be true or false\nf.yaml:2:8: small: is the text \"x\", but must be a whole number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode("f.yaml", []byte(tt.text), &sample{})
			if diff := cmp.Diff(tt.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeBoundsAliases(t *testing.T) {
	text := "text: a\nany:\n  - &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
	for i := range 9 {
		text += fmt.Sprintf("  - &a%d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	_, err := Decode("f.yaml", []byte(text), &sample{})
	if err == nil || !strings.Contains(err.Error(), "use fewer aliases") {
		t.Errorf("Decode() = %v, want it to stop", err)
	}
}

func TestErrorfPointsAtTheNearestField(t *testing.T) {
	d, err := Decode("f.yaml", []byte("text: a\nlist:\n  - depth: 1\nmap: {a.b: 1}"), &sample{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"text":              "f.yaml:1:1: text: wrong",
		"list[0].depth":     "f.yaml:3:5: list[0].depth: wrong",
		"list[0].height":    "f.yaml:3:5: list[0].height: wrong",
		"list[7].depth":     "f.yaml:2:1: list[7].depth: wrong",
		`map["a.b"]`:        `f.yaml:4:7: map["a.b"]: wrong`,
		`map["a.b"].c["d"]`: `f.yaml:4:7: map["a.b"].c["d"]: wrong`,
		"nothing":           "f.yaml:1:1: nothing: wrong",
		"":                  "f.yaml:1:1: wrong",
	} {
		if got := d.Errorf(path, "wrong").Error(); got != want {
			t.Errorf("Errorf(%q) = %s, want %s", path, got, want)
		}
	}
}

// FuzzDecode feeds the decoder anything: it must end, and every error must have a place.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"", "---", "text: &a [*a]", "- 1", "null", "? [a]\n: b", "<<: {}", "text: !!binary x", "when: 2001-01-01", "fraction: .inf", "\x00", "{",
		"text: a\nlist: [{depth: 1}]\nmap: {a: 1}", "any: &a {b: *a}", "%TAG ! a", "small: 0x7fffffffffffffffff", "&a a: &b b", "quantity: {}",
		"pod: {containers: [{name: a, resources: {limits: {cpu: 1}}}]}", "wait: [1]", "a: |2\n  b", "text: \"\\xff\"",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := Decode("f.yaml", text, &sample{})
		if err == nil {
			return
		}
		var all Errors
		if !errors.As(err, &all) || len(all) == 0 {
			t.Fatalf("Decode() = %v, which is no list of errors", err)
		}
		for _, e := range all {
			if e.Line < 1 || e.Column < 1 || e.Problem == "" {
				t.Errorf("an error without a place or a problem: %#v", e)
			}
		}
	})
}
