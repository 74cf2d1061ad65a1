package inprocess

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRemoveStaleRuns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	open := func() *folder {
		f, err := openFolder("")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.close() })
		return f
	}
	killed, running := open(), open()
	for _, lock := range killed.held { // as the system does
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
	named := filepath.Join(os.TempDir(), runPrefix+"mine")
	f, err := openFolder(named)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}

	started := open()
	for name, test := range map[string]struct {
		dir  string
		want bool
	}{
		"killed plane's":               {killed.run, false},
		"running plane's":              {running.run, true},
		"new plane's":                  {started.run, true},
		"data folder with such a name": {named, true},
	} {
		if _, err := os.Stat(test.dir); (err == nil) != test.want {
			t.Errorf("%s folder is there: %v, want %v", name, err == nil, test.want)
		}
	}
}
