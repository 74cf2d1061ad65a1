package snapshot_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/api/snapshot"
)

var header = snapshot.Header{
	Taken: time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC), Server: "v1.35.2",
	Knowledge: map[string]string{"Pod": "Complete", "Lease": "Forbidden"}, Anonymized: true,
}

var records = []snapshot.Record{
	{APIVersion: "v1", Kind: "Pod", Encoding: snapshot.Protobuf, Data: []byte{1, 2, 3}},
	{APIVersion: "example.com/v1", Kind: "Thing", Encoding: snapshot.JSON, Data: []byte(`{"a":1}`)},
	{APIVersion: "v1", Kind: "Pod", Encoding: snapshot.Protobuf, Data: bytes.Repeat([]byte("x"), 200_000)},
	{APIVersion: "v1", Kind: "Node", Encoding: snapshot.Protobuf},
}

func write(t testing.TB, h snapshot.Header, records ...snapshot.Record) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := snapshot.NewWriter(&file, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read reads to the end; the error is nil if the file is whole.
func read(r io.Reader) (snapshot.Header, []snapshot.Record, error) {
	reader, err := snapshot.NewReader(r)
	if err != nil {
		return snapshot.Header{}, nil, err
	}
	var records []snapshot.Record
	for {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			_, again := reader.Next()
			if !errors.Is(again, io.EOF) {
				return snapshot.Header{}, nil, errors.New("the end does not last")
			}
			return reader.Header(), records, nil
		}
		if err != nil {
			return snapshot.Header{}, nil, err
		}
		records = append(records, r)
	}
}

func TestRoundTrip(t *testing.T) {
	for name, want := range map[string][]snapshot.Record{"empty": nil, "several": records} {
		t.Run(name, func(t *testing.T) {
			h, got, err := read(iotest.OneByteReader(bytes.NewReader(write(t, header, want...))))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(header, h); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
			sameBytes := cmp.Comparer(bytes.Equal)
			if diff := cmp.Diff(want, got, sameBytes); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryTruncationIsSeen cuts a file at each of its bytes, and TestEveryChangeIsSeen changes each.
func TestEveryTruncationIsSeen(t *testing.T) {
	file := write(t, header, records...)
	for n := range file {
		_, _, err := read(bytes.NewReader(file[:n]))
		want := snapshot.ErrTruncated
		if n == 0 {
			want = snapshot.ErrNoSnapshot
		}
		if !errors.Is(err, want) {
			t.Fatalf("cut at %d of %d: err = %v, want %v", n, len(file), err, want)
		}
	}
}

func TestEveryChangeIsSeen(t *testing.T) {
	file := write(t, header, records...)
	_, whole, _ := read(bytes.NewReader(file))
	for n := range file {
		changed := bytes.Clone(file)
		changed[n] ^= 0x10
		_, got, err := read(bytes.NewReader(changed))
		// gzip's header has bytes that mean nothing.
		if err == nil && !cmp.Equal(whole, got) {
			t.Fatalf("a change at %d of %d is not seen", n, len(file))
		}
	}
}

func TestWhatIsNoSnapshot(t *testing.T) {
	file := write(t, header, records...)
	newer := bytes.Clone(file)
	newer[len(snapshot.Magic)]++
	broken := errors.New("the disk is broken")
	for name, tc := range map[string]struct {
		file io.Reader
		want error
	}{
		"empty":              {strings.NewReader(""), snapshot.ErrNoSnapshot},
		"a manifest":         {strings.NewReader("apiVersion: v1\nkind: List\nitems: []\n"), snapshot.ErrNoSnapshot},
		"a newer format":     {bytes.NewReader(newer), snapshot.ErrVersion},
		"something follows":  {io.MultiReader(bytes.NewReader(file), strings.NewReader("x")), snapshot.ErrDamaged},
		"twice":              {io.MultiReader(bytes.NewReader(file), bytes.NewReader(file)), snapshot.ErrDamaged},
		"a disk that breaks": {io.MultiReader(bytes.NewReader(file[:len(file)/2]), iotest.ErrReader(broken)), broken},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := read(tc.file); !errors.Is(err, tc.want) {
				t.Errorf("err = %v, want %v", err, tc.want)
			}
		})
	}
}

func TestWriterRefuses(t *testing.T) {
	for name, r := range map[string]snapshot.Record{
		"no encoding": {APIVersion: "v1", Kind: "Pod"},
		"a long kind": {APIVersion: "v1", Kind: strings.Repeat("k", 300), Encoding: snapshot.JSON},
		"much data":   {APIVersion: "v1", Kind: "Pod", Encoding: snapshot.JSON, Data: make([]byte, 17<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := snapshot.NewWriter(io.Discard, header)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(r); err == nil {
				t.Error("it is written, though no reader would take it")
			}
		})
	}
}

// FuzzReader gives the reader whatever there may be: what it takes for whole says the same once it is written again.
func FuzzReader(f *testing.F) {
	f.Add(write(f, header, records...))
	f.Add(write(f, snapshot.Header{}))
	f.Add([]byte(snapshot.Magic + "1"))
	f.Fuzz(func(t *testing.T, file []byte) {
		h, whole, err := read(bytes.NewReader(file))
		if err != nil {
			return
		}
		again, same, err := read(bytes.NewReader(write(t, h, whole...)))
		if err != nil || !cmp.Equal(h, again) || !reflect.DeepEqual(whole, same) { // cmp takes seconds for long bytes.
			t.Errorf("written again it says other things (err = %v)", err)
		}
	})
}
