package kmsg

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		want Record
	}{
		"a line of the kernel": {
			raw:  "6,338,1405631,-;EXT4-fs (vda): mounted filesystem r/w without journal. Quota mode: none.\n",
			want: Record{Priority: 6, Seq: 338, Up: 1405631 * time.Microsecond, Text: "EXT4-fs (vda): mounted filesystem r/w without journal. Quota mode: none."},
		},
		"a device's fields": {
			raw: "5,335,1277650,-;virtio_blk virtio1: [vda] new size: 536870912 512-byte logical blocks (275 GB/256 GiB)\n SUBSYSTEM=virtio\n DEVICE=+virtio:virtio1\n",
			want: Record{
				Priority: 5, Seq: 335, Up: 1277650 * time.Microsecond,
				Text:   "virtio_blk virtio1: [vda] new size: 536870912 512-byte logical blocks (275 GB/256 GiB)",
				Fields: []string{"SUBSYSTEM=virtio", "DEVICE=+virtio:virtio1"},
			},
		},
		"a process's line":           {raw: "12,1,2,-;hello\n", want: Record{Priority: 4, Facility: 1, Seq: 1, Up: 2 * time.Microsecond, Text: "hello"}},
		"a continuation":             {raw: "4,2,3,c; and on\n", want: Record{Priority: 4, Seq: 2, Up: 3 * time.Microsecond, Continues: true, Text: " and on"}},
		"the caller (PRINTK_CALLER)": {raw: "6,3,4,-,caller=T1;hi\n", want: Record{Priority: 6, Seq: 3, Up: 4 * time.Microsecond, Text: "hi"}},
		"a prefix that will grow":    {raw: "6,3,4,-,caller=C0,more=1;hi;ho\n", want: Record{Priority: 6, Seq: 3, Up: 4 * time.Microsecond, Text: "hi;ho"}},
		"escapes":                    {raw: `4,5,6,-;one\x0atwo \x5cx41 \xe3\x81\x82 \xzz \x4` + "\n", want: Record{Priority: 4, Seq: 5, Up: 6 * time.Microsecond, Text: "one\ntwo \\x41 あ \\xzz \\x4"}},
		"no line break":              {raw: "0,0,0,-;panic", want: Record{Text: "panic"}},
		"no text":                    {raw: "6,1,0,-;\n", want: Record{Priority: 6, Seq: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(tc.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, raw := range []string{"", ";", "hello", "<6>hello", "6,1;hi", "x,1,2,-;hi", "6,x,2,-;hi", "6,1,x,-;hi", "6,1,-2,-;hi", "6,1,9223372036854775807,-;hi", "-6,1,2,-;hi"} {
		if r, err := Parse([]byte(raw)); err == nil {
			t.Errorf("%q is taken for %+v", raw, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("6,338,1405631,-;EXT4-fs (vda): mounted\n SUBSYSTEM=virtio\n")
	f.Add(`12,1,2,c,caller=T1;\x0a\x5cx41` + "\n")
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := Parse([]byte(raw))
		if err != nil {
			return
		}
		if r.Priority < 0 || r.Priority > 7 || r.Facility < 0 || r.Up < 0 || len(r.Text) > len(raw) {
			t.Errorf("%q: %+v", raw, r)
		}
		if !strings.Contains(raw, `\x`) && !strings.Contains(raw, r.Text) {
			t.Errorf("%q has no %q", raw, r.Text)
		}
	})
}
