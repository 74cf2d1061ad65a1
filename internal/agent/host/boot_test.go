package host

import (
	"strings"
	"testing"
	"time"
)

func TestBoot(t *testing.T) {
	boot, err := Host{}.Boot()
	if err != nil {
		t.Fatal(err)
	}
	if len(boot.ID) != 36 || boot.At.After(time.Now()) || boot.At.Year() < 2020 {
		t.Errorf("booted as %+v", boot)
	}
	if _, err := (Host{Root: t.TempDir()}).Boot(); err == nil {
		t.Error("a host without /proc booted")
	}
}

func TestBootTime(t *testing.T) {
	at, err := bootTime([]byte("cpu 1 2 3\nintr " + strings.Repeat("0 ", 1<<17) + "\nbtime 1700000000\n"))
	if err != nil || at.Unix() != 1700000000 {
		t.Errorf("%v, %v", at, err)
	}
	for _, stat := range []string{"", "btime x\n"} {
		if _, err := bootTime([]byte(stat)); err == nil {
			t.Errorf("%q has a boot time", stat)
		}
	}
}
