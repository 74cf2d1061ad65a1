package reason_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

var since = time.Date(2026, 11, 21, 17, 40, 12, 0, time.UTC)

func TestFormat(t *testing.T) {
	for name, test := range map[string]struct {
		line reason.Line
		want string
	}{
		"entity":             {reason.Line{Reason: "InterfaceNotUp", Entity: "eth1", Since: since, Raw: "link eth1 is down"}, "InterfaceNotUp eth1 since 2026-11-21T17:40:12Z: link eth1 is down"},
		"node":               {reason.Line{Reason: "ClockUnsynchronized", Since: since, Raw: "adjtimex: 5"}, "ClockUnsynchronized since 2026-11-21T17:40:12Z: adjtimex: 5"},
		"entity with blanks": {reason.Line{Reason: "AppCrash", Entity: "Web Content", Since: since, Raw: "x"}, `AppCrash "Web Content" since 2026-11-21T17:40:12Z: x`},
		"entity since":       {reason.Line{Reason: "AppCrash", Entity: "since", Since: since, Raw: "x"}, "AppCrash " + "since" + " since 2026-11-21T17:40:12Z: x"},
		"line breaks":        {reason.Line{Reason: "AppCrash", Since: since.In(time.FixedZone("JST", 9*3600)), Raw: "one\n two\r\n"}, "AppCrash since 2026-11-21T17:40:12Z: one two"},
		"not UTF-8":          {reason.Line{Reason: "AppCrash", Since: since, Raw: "a\xffb"}, "AppCrash since 2026-11-21T17:40:12Z: a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reason.Format([]reason.Line{test.line}); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestFormatIsBounded(t *testing.T) {
	var lines []reason.Line
	for range 100 {
		lines = append(lines, reason.Line{Reason: "AppCrash", Entity: strings.Repeat("実", 1000), Since: since, Raw: strings.Repeat("体", 1000)})
	}
	message := reason.Format(lines)
	if len(message) > 4096+20 {
		t.Errorf("%d bytes", len(message))
	}
	got := reason.Parse(message)
	if len(got) < 4 || !strings.HasSuffix(message, "\nand 96 more") && !strings.HasSuffix(message, "\nand 95 more") {
		t.Errorf("%d lines, ending %q", len(got), message[len(message)-20:])
	}
	if l := len(got[0].Raw); l > 512 || l < 500 {
		t.Errorf("raw of %d bytes", l)
	}
}

func TestParseLeavesOutOthersLines(t *testing.T) {
	for _, message := range []string{"", "kubelet is posting ready status", "A since yesterday: x", "A b since", `A "b since 2026-11-21T17:40:12Z: x`, "and 3 more"} {
		if got := reason.Parse(message); len(got) > 0 {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// anyLine is one that needs no cutting.
func anyLine(t *rapid.T) reason.Line {
	return reason.Line{
		Reason: reason.ID(rapid.StringMatching(`[A-Z][A-Za-z0-9]{0,30}`).Draw(t, "reason")),
		Entity: rapid.OneOf(rapid.StringN(0, 40, 160), rapid.SampledFrom([]string{"since", "eth1", `"`, "a b", "since 2026-11-21T17:40:12Z: x"})).Draw(t, "entity"),
		Since:  time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "since"), 0).UTC(),
		Raw:    rapid.StringMatching(`([!-~]{1,8}( [!-~]{1,8}){0,5})?`).Draw(t, "raw"),
	}
}

func TestParseReadsWhatFormatWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(anyLine), 0, 6).Draw(t, "lines")
		if diff := cmp.Diff(lines, reason.Parse(reason.Format(lines)), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzParse holds that what Parse reads of any message, Format writes and Parse reads again.
func FuzzParse(f *testing.F) {
	for _, message := range []string{
		"InterfaceNotUp eth1 since 2026-11-21T17:40:12Z: link eth1 is down", "A since 2026-11-21T17:40:12+09:00: b\nC \"d e\" since 2026-11-21T17:40:12Z: ", "and 3 more", `A "\xff" since 2026-11-21T17:40:12Z: `,
	} {
		f.Add(message)
	}
	f.Fuzz(func(t *testing.T, message string) {
		once := reason.Parse(reason.Format(reason.Parse(message)))
		if diff := cmp.Diff(once, reason.Parse(reason.Format(once))); diff != "" {
			t.Error(diff)
		}
	})
}
