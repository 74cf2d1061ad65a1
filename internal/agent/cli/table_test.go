package cli

import (
	"bytes"
	"testing"
)

func TestTable(t *testing.T) {
	var out bytes.Buffer
	rows := table{}
	rows.row("状態", "REASON", "READ")
	rows.row("異常", "AppCrash", "a line")
	rows.row("well", "Clock", "")
	rows.print(&out)
	want := "状態  REASON    READ\n異常  AppCrash  a line\nwell  Clock\n"
	if out.String() != want {
		t.Errorf("it prints\n%swant\n%s", out.String(), want)
	}
}

// What a process has written into the kernel's log must not steer the terminal of whoever reads it.
func TestTableIsHarmless(t *testing.T) {
	var out bytes.Buffer
	rows := table{}
	rows.wholeRow("a\x1b[2J", "b\nc", "d\u009b\u202e\xff")
	rows.print(&out)
	if want := "a^[[2J  b c  d\\u009b\\u202e\\xff\n"; out.String() != want {
		t.Errorf("it prints %q, want %q", out.String(), want)
	}
}
