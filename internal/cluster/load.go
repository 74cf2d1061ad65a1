package cluster

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/naosu-dev/naosu/api/snapshot"
)

// Source is where a Snapshot is loaded from.
type Source struct {
	// Path is a file, a folder, or "-" for Stdin.
	Path  string
	Stdin io.Reader
	// Progress is called with the progress in bytes, one call at a time; it may be nil. Total is zero if it is unknown.
	Progress func(Progress)
	// Applied keeps the data with which manifests are merged, as in ReadOptions, if it is there.
	Applied bool
	// Key is the key of a snapshot's digests of values; if it is nil, they are left out.
	Key []byte
}

// What may be wrong with files that are no snapshot; errors of Load wrap one of these, one of api/snapshot or io/fs, or
// say what could not be parsed.
var (
	ErrNothing  = errors.New("it contains no object of a kind that naosu reads")
	ErrTooLarge = errors.New("it is too large to hold in memory")
)

// Load reads a snapshot, or objects as kubectl writes them: lists and single objects, in JSON and YAML of one or several
// documents, in one file or in all files of a folder and the folders below that are named .json, .yaml or .yml. Links to
// files are followed, those to folders are not.
//
// A snapshot says itself what is known of each kind. Of other files a kind is known Completely if they hold an object
// or a list of it, and was read at the latest moment that any object tells of. Of two objects of one name the newer
// counts by its resourceVersion, or else the later one.
func Load(ctx context.Context, from Source) (*Snapshot, error) {
	g := newLoader(ctx, from)
	header, err := g.load(from)
	if failed := g.finish(); err == nil || errors.Is(err, errStopped) {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return g.snapshot(header)
}

// load reads the source. The header is that of a snapshot, nil for any other file.
func (g *loader) load(from Source) (*snapshot.Header, error) {
	if from.Path == "-" {
		return g.stream("standard input", g.interruptible(from.Stdin))
	}
	files, err := filesOf(from.Path)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		g.willRead(file.size)
	}
	for _, file := range files {
		header, err := g.file(file.path)
		if err != nil || header != nil {
			return header, err
		}
	}
	return nil, nil // Files as kubectl writes them have no header.
}

type file struct {
	path string
	size int64
}

// filesOf are the path itself, or what in a folder looks like objects, sorted.
func filesOf(path string) ([]file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []file{{path, info.Size()}}, nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	var files []file
	err = filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)) {
			return err
		}
		info, err := os.Stat(path) // Not the entry's: a mounted ConfigMap's files are links.
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		files = append(files, file{path, info.Size()})
		return nil
	})
	return files, err
}

func (g *loader) file(path string) (*snapshot.Header, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return g.stream(path, f)
}

// interruptible reads until the context ends, even if there is no input, as from a terminal.
func (g *loader) interruptible(r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(g.ctx, func() { in.CloseWithError(errStopped) })
	return out
}

// stream reads one file, of any format.
func (g *loader) stream(name string, r io.Reader) (*snapshot.Header, error) {
	const enough = 512
	buffered := withoutBOM(bufio.NewReaderSize(g.counted(r), 256<<10))
	begin, err := buffered.Peek(enough)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, inFile(name, err)
	}
	switch text := bytes.TrimLeft(begin, " \t\r\n"); {
	case bytes.HasPrefix(begin, []byte(snapshot.Magic)):
		return g.snapshotFile(name, buffered)
	case looksLikeJSON(text):
		err = g.jsonFile(name, buffered)
	case bytes.ContainsRune(begin, 0):
		err = snapshot.ErrNoSnapshot
	default:
		err = g.yamlFile(name, buffered)
	}
	if err != nil {
		return nil, inFile(name, err)
	}
	return nil, nil // It has no header.
}

// inFile adds the file's name to an error.
func inFile(name string, err error) error { return &fs.PathError{Op: "reading", Path: name, Err: err} }

// withoutBOM is the text in UTF-8 without a byte order mark, by which the encoding is detected: PowerShell's > writes UTF-16.
func withoutBOM(text *bufio.Reader) *bufio.Reader {
	begin, _ := text.Peek(2) // The next read returns the error.
	if mark := string(begin); mark != "\xef\xbb" && mark != "\xff\xfe" && mark != "\xfe\xff" {
		return text
	}
	return bufio.NewReaderSize(transform.NewReader(text, unicode.BOMOverride(transform.Nop)), text.Size())
}

// snapshotFile reads what Write wrote. Kinds that this version of naosu does not know are left out.
func (g *loader) snapshotFile(name string, r io.Reader) (*snapshot.Header, error) {
	file, err := snapshot.NewReader(r)
	if err != nil {
		return nil, inFile(name, err)
	}
	g.keepAppliedOf(file.Header())
	for {
		record, err := g.nextRecord(file)
		switch {
		case errors.Is(err, io.EOF):
			header := file.Header()
			return &header, nil
		case err != nil:
			return nil, inFile(name, err)
		}
		encoding := asProtobuf
		if record.Encoding != snapshot.Protobuf {
			encoding = asJSON
		}
		raw := raw{name: name, encoding: encoding, version: record.APIVersion, kind: Kind(record.Kind), data: record.Data}
		if err := g.add(raw); err != nil {
			return nil, err
		}
	}
}

// looksLikeJSON tells JSON from YAML in flow style, which need not quote its keys.
func looksLikeJSON(text []byte) bool {
	inside, braced := bytes.CutPrefix(text, []byte("{"))
	return braced && bytes.HasPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte(`"`))
}

// isList says whether a kind is that of a list, and of which kind.
func isList(kind string) (of Kind, ok bool) {
	item, ok := strings.CutSuffix(kind, "List")
	return Kind(item), ok // Of a plain List, whose items say themselves what they are, it is nothing.
}
