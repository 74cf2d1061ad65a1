package output

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	for name, tc := range map[string]struct {
		width int
		want  string
	}{
		"no terminal": {0, ""},
		"a terminal":  {60, "\r\x1b[Kreading\r\x1b[K[==========          ] reading\r\x1b[K[====================] reading\r\x1b[K"},
		"too narrow":  {20, "\r\x1b[Kreading\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p := NewProgress(&out)
			p.width = tc.width
			for _, done := range []int{0, 5, 5, 20} {
				total := 10
				if done == 0 {
					total = 0
				}
				p.Show("reading", done, total)
			}
			p.End()
			p.End()
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
