package journal

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"
)

const (
	fixtureBoot = "9b0a1c1e-5d3f-4a6c-8e7d-2b4f6a8c0e1d"
	machine     = "0123456789abcdef0123456789abcdef"
)

func unpack(t testing.TB, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name+".journal.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// folder is a journal's folder with one file.
func folder(t testing.TB, fixture, name string) string {
	t.Helper()
	top := t.TempDir()
	place(t, filepath.Join(top, machine, name), unpack(t, fixture))
	return top
}

func place(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func options() Options {
	return Options{Boot: fixtureBoot, Poll: time.Millisecond, Clock: clock.RealClock{}}
}

func all(t testing.TB, r *Reader) (texts []string) {
	t.Helper()
	for {
		e, err := r.Buffered()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Message) > 1500 {
			e.Message = fmt.Sprintf("%.16s… %d", e.Message, len(e.Message))
		}
		texts = append(texts, fmt.Sprintf("%d %v %s", e.Want, e.Up, strings.TrimSpace(e.Message)))
	}
}

func expected(after int) (want []string) {
	for i := range 120 {
		if up := 1 + 3*i; up > after {
			want = append(want, fmt.Sprintf("0 %v kernel line %d", time.Duration(up)*time.Second, i))
		}
	}
	for i := range 120 {
		up := 2 + 3*i
		text := fmt.Sprintf("kubelet line %d", i)
		if i%10 == 0 {
			text = fmt.Sprintf("%.16s… %d", text+strings.Repeat(" long", 2), len(text)+1+1500)
		}
		if up > after {
			want = append(want, fmt.Sprintf("1 %v %s", time.Duration(up)*time.Second, text))
		}
	}
	return append(want, "1 6m2s kubelet.service: Failed with result 'exit-code'.")
}

// Both layouts give the lines of this boot that are really the kernel's and the unit's.
func TestReadsBothLayouts(t *testing.T) {
	for _, layout := range []string{"regular", "compact"} {
		t.Run(layout, func(t *testing.T) {
			r, err := Open([]string{"/nonexistent", folder(t, layout, "system.journal")}, []Want{Kernel(), Unit("kubelet.service")}, options())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if diff := cmp.Diff(expected(0), all(t, r)); diff != "" {
				t.Error(diff)
			}
			if r.Lost() != 12 {
				t.Errorf("%d lost, want the 12 that journald missed, and not what a process says", r.Lost())
			}
			if again := all(t, r); again != nil {
				t.Errorf("read again: %v", again)
			}
		})
	}
}

// What an earlier run dealt with is passed over, and so is what is old.
func TestGoesOnWhereAnEarlierRunEnded(t *testing.T) {
	for _, layout := range []string{"regular", "compact"} {
		top := folder(t, layout, "system.journal")
		for _, after := range []int{1, 2, 3, 7, 100, 200, 358, 359} {
			kernel, unit := Kernel(), Unit("kubelet.service")
			kernel.After, unit.After = time.Duration(after)*time.Second, time.Duration(after)*time.Second
			r, err := Open([]string{top}, []Want{kernel, unit}, options())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(expected(after), all(t, r)); diff != "" {
				t.Errorf("%s after %d: %s", layout, after, diff)
			}
			_ = r.Close()
		}
	}
}

// A journal that is there and cannot be read, or is another boot's, is never one in which nothing was said.
func TestJournalThatSaysNothing(t *testing.T) {
	const active, rotated = "system.journal", "system@1-2.journal"
	good := unpack(t, "regular")
	unknown := bytes.Clone(good)
	unknown[12] |= 0x80
	for name, tc := range map[string]struct {
		files map[string][]byte
		boot  string
		says  string
	}{
		"garbage":                        {map[string][]byte{active: bytes.Repeat([]byte("not a journal"), 100)}, fixtureBoot, "not a journal file"},
		"nothing in it":                  {map[string][]byte{active: nil}, fixtureBoot, "header is cut"},
		"a newer format":                 {map[string][]byte{active: unknown}, fixtureBoot, "newer systemd"},
		"cut in its header":              {map[string][]byte{active: good[:100]}, fixtureBoot, "header is cut"},
		"of another boot":                {map[string][]byte{active: good}, "00000000-0000-0000-0000-000000000001", "nothing of this boot"},
		"garbage, and a rotated file":    {map[string][]byte{active: []byte("x"), rotated: good}, fixtureBoot, "header is cut"},
		"rotated files of another boot":  {map[string][]byte{rotated: good}, "00000000-0000-0000-0000-000000000001", "nothing of this boot"},
		"whole":                          {map[string][]byte{active: good}, fixtureBoot, ""},
		"rotated just now":               {map[string][]byte{rotated: good}, fixtureBoot, ""},
		"garbage that is nobody's":       {map[string][]byte{active: good, "user-1000.journal": []byte("x")}, fixtureBoot, ""},
		"a rotated file that is damaged": {map[string][]byte{active: good, rotated: []byte("x")}, fixtureBoot, ""},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			for file, content := range tc.files {
				place(t, filepath.Join(top, machine, file), content)
			}
			o := options()
			o.Boot = tc.boot
			r, err := Open([]string{top}, []Want{Kernel()}, o)
			if err == nil {
				defer r.Close()
			}
			if (err == nil) != (tc.says == "") || err != nil && (!strings.Contains(err.Error(), tc.says) || errors.Is(err, fs.ErrNotExist)) {
				t.Errorf("%v, want %q", err, tc.says)
			}
		})
	}
}

// A journal whose file is damaged while it is read, and not replaced, is said to be so in the end.
func TestJournalThatIsDamagedLater(t *testing.T) {
	top := folder(t, "regular", "system.journal")
	r, err := Open([]string{top}, []Want{Kernel()}, options())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := len(all(t, r)); got != 120 {
		t.Fatalf("%d lines", got)
	}
	place(t, filepath.Join(top, machine, "new"), []byte("garbage"))
	if err := os.Rename(filepath.Join(top, machine, "new"), filepath.Join(top, machine, "system.journal")); err != nil {
		t.Fatal(err)
	}
	err = io.EOF
	for polls := 0; errors.Is(err, io.EOF) && polls < 2*maxFailedLooks; polls++ {
		_, err = r.Buffered()
	}
	if err == nil || !strings.Contains(err.Error(), "system.journal") {
		t.Errorf("ended with %v", err)
	}
}

// A rotated file is read once, under whatever name, and then the one that took its place.
func TestRotation(t *testing.T) {
	top := folder(t, "regular", "system.journal")
	r, err := Open([]string{top}, []Want{Kernel()}, options())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := len(all(t, r)); got != 120 {
		t.Fatalf("%d lines", got)
	}
	here := filepath.Join(top, machine)
	if err := os.Rename(filepath.Join(here, "system.journal"), filepath.Join(here, "system@1-2.journal")); err != nil {
		t.Fatal(err)
	}
	if got := all(t, r); got != nil {
		t.Errorf("after the renaming: %v", got)
	}
	place(t, filepath.Join(here, "system.journal"), unpack(t, "compact"))
	place(t, filepath.Join(here, "user-1000.journal"), unpack(t, "compact"))
	if got := len(all(t, r)); got != 120 {
		t.Errorf("%d lines in the new file", got)
	}
	if len(r.open) != 1 {
		t.Errorf("%d files are open", len(r.open))
	}
}

func TestNoJournal(t *testing.T) {
	if _, err := Open([]string{"/nonexistent", t.TempDir()}, []Want{Kernel()}, options()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened: %v", err)
	}
}

func TestNewerSystemd(t *testing.T) {
	top := folder(t, "regular", "system.journal")
	newer := unpack(t, "regular")
	newer[13] |= 0x80
	place(t, filepath.Join(top, machine, "system.journal"), newer)
	if _, err := Open([]string{top}, []Want{Kernel()}, options()); !errors.Is(err, errNewer) {
		t.Errorf("opened: %v", err)
	}
}

func TestEndsWithTheContext(t *testing.T) {
	r, err := Open([]string{folder(t, "regular", "system.journal")}, []Want{Unit("nobody.service")}, options())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// Damage is counted and passed over; what is whole is read on.
func TestDamage(t *testing.T) {
	whole := unpack(t, "compact")
	at := bytes.Index(whole, []byte("MESSAGE=kernel line 7\x00"))
	if at < 0 {
		t.Fatal("no such line")
	}
	whole[at-72] = 99 // the type of its object
	top := t.TempDir()
	place(t, filepath.Join(top, machine, "system.journal"), whole)
	r, err := Open([]string{top}, []Want{Kernel()}, options())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := len(all(t, r)); got != 119 || r.Lost() != 12+1 {
		t.Errorf("%d lines, %d lost", got, r.Lost())
	}
}

func TestLZ4(t *testing.T) {
	block, _ := hex.DecodeString("ff056b7562656c6574206c696e65203130206c6f6e670500ff14506720656e64")
	packed := append([]byte{0x3f, 1, 0, 0, 0, 0, 0, 0}, block...) // python3-lz4 4.0.2: block.compress(text, store_size=False)
	text, err := unlz4(packed)
	if want := "kubelet line 10 " + strings.Repeat("long ", 60) + "end"; err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
	for cut := range packed {
		if text, err := unlz4(packed[:cut]); err == nil {
			t.Errorf("%d bytes of it give %q", cut, text)
		}
	}
}

func FuzzLZ4(f *testing.F) {
	block, _ := hex.DecodeString("3f01000000000000ff056b7562656c6574206c696e65203130206c6f6e670500ff14506720656e64")
	f.Add(block)
	f.Fuzz(func(t *testing.T, packed []byte) {
		if text, err := unlz4(packed); err == nil && uint64(len(text)) != le(packed) {
			t.Errorf("%d bytes", len(text))
		}
	})
}

// damaged is a file with some bytes changed.
type damaged struct {
	*bytes.Reader
	bytes map[int64]byte
}

func (d damaged) ReadAt(into []byte, at int64) (int, error) {
	n, err := d.Reader.ReadAt(into, at)
	for where, value := range d.bytes {
		if where >= at && where < at+int64(n) {
			into[where-at] = value
		}
	}
	return n, err
}

// FuzzJournal damages a real file in some places: reading it ends.
func FuzzJournal(f *testing.F) {
	f.Add(false, []byte{0, 0, 9, 1, 0, 9, 9, 4})
	f.Add(true, []byte{4, 0, 0, 0xff, 0, 0, 120, 1})
	regular, compact := unpack(f, "regular"), unpack(f, "compact")
	objects := bytes.Index(regular, []byte("_TRANSPORT=kernel")) - 4096 // Before it is a hash table, after it the entries.
	boot, err := parseID(fixtureBoot)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, small bool, damage []byte) {
		whole := regular
		if small {
			whole = compact
		}
		d := damaged{Reader: bytes.NewReader(whole), bytes: map[int64]byte{}}
		for ; len(damage) >= 4; damage = damage[4:] { // where, and what
			at := int(damage[0])<<16 | int(damage[1])<<8 | int(damage[2])
			if at >= 256 {
				at = objects + at%(256<<10)
			}
			d.bytes[int64(at)] = damage[3]
		}
		file, err := openFile(d)
		if err != nil {
			return
		}
		r := &Reader{wants: []Want{Kernel(), Unit("kubelet.service")}, boot: boot}
		o := &opened{file: file, columns: map[string]*column{}}
		o.want(r.wants)
		_ = o.refresh()
		for n := 0; ; n++ {
			if _, err := o.next(r); errors.Is(err, io.EOF) {
				return
			}
			if n > 10_000 {
				t.Fatal("it does not end")
			}
		}
	})
}
