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

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"0123456789": "0123456789", "01234567890": "012345678…", "一二三四五": "一二三四五", "一二三四五六": "一二三四…"} {
		if got := cut(text, 10); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}
