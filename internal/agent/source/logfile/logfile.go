// Package logfile follows a plain log file line by line, through its rotation, whether it is renamed or cut to nothing.
package logfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"syscall"
	"time"

	"k8s.io/utils/clock"
)

const (
	// maxLine is how long a line may be, give or take one read.
	maxLine = 16 << 10
	// maxPast is how much of what was logged before is read at the start.
	maxPast = 1 << 20
)

// Position is a place in a file, which has another inode after it was replaced.
type Position struct {
	Inode  uint64
	Offset int64
}

// Line is a line of a log.
type Line struct {
	Text string
	// At is when it was logged: of a line that was waited for now, of an older one what it says itself, or zero if it does
	// not say with a time zone, or is too old.
	At time.Time
	// End is the position after it.
	End Position
}

// Options say how a file is read.
type Options struct {
	// From is where an earlier run ended.
	From Position
	// Since is before when a line that was there already says no time that counts: it is of an earlier boot.
	Since time.Time
	// Poll is how often to look for new lines.
	Poll  time.Duration
	Clock clock.Clock
}

// Reader follows a file. It is for one goroutine.
type Reader struct {
	path    string
	options Options
	file    *os.File
	at      Position
	// have is what was read and not given out yet; skip says that the line it begins with is to be passed over.
	have   []byte
	skip   bool
	caught bool
	lost   uint64
}

// Open opens a file. An error that is fs.ErrNotExist says that there is none.
func Open(path string, o Options) (*Reader, error) {
	r := &Reader{path: path, options: o}
	if err := r.open(); err != nil {
		return nil, err
	}
	info, err := r.file.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the log: %w", err), r.Close())
	}
	if r.at.Inode == o.From.Inode && o.From.Offset <= info.Size() {
		r.at.Offset = o.From.Offset
	}
	if past := info.Size() - maxPast; r.at.Offset < past {
		r.at.Offset, r.skip = past, true
	}
	return r, nil
}

func (r *Reader) open() error {
	file, err := os.Open(r.path)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("open the log: %w", err), file.Close())
	}
	r.file, r.at = file, Position{Inode: inode(info)}
	return nil
}

func inode(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}

// Close ends it.
func (r *Reader) Close() error { return r.file.Close() }

// Lost is how many lines were passed over as too long.
func (r *Reader) Lost() uint64 { return r.lost }

// Next is the next line, awaited if need be. It ends with ctx.
func (r *Reader) Next(ctx context.Context) (Line, error) {
	for {
		line, err := r.Buffered()
		if !errors.Is(err, io.EOF) {
			return line, err
		}
		timer := r.options.Clock.NewTimer(r.options.Poll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return Line{}, ctx.Err()
		case <-timer.C():
		}
	}
}

// Buffered is the next whole line that is there already, or io.EOF.
func (r *Reader) Buffered() (Line, error) {
	for {
		if line, is := r.cut(); is {
			return line, nil
		}
		more, err := r.fill()
		if err != nil {
			return Line{}, fmt.Errorf("read the log: %w", err)
		}
		if more {
			continue
		}
		r.caught = true
		if turned, err := r.turn(); err != nil || !turned {
			return Line{}, errors.Join(io.EOF, err)
		}
	}
}

// cut takes the first line off what was read.
func (r *Reader) cut() (Line, bool) {
	for {
		end := bytes.IndexByte(r.have, '\n')
		if end < 0 {
			return Line{}, false
		}
		text := string(r.have[:end])
		r.have = r.have[end+1:]
		r.at.Offset += int64(end + 1)
		if r.skip {
			r.skip = false
			continue
		}
		return Line{Text: text, At: r.time(text), End: r.at}, true
	}
}

// fill reads on, and says whether there was more.
func (r *Reader) fill() (bool, error) {
	if len(r.have) >= maxLine { // What is longer is passed over.
		r.at.Offset += int64(len(r.have))
		r.have = nil
		if !r.skip {
			r.lost++
		}
		r.skip = true
	}
	var chunk [4096]byte
	n, err := r.file.ReadAt(chunk[:], r.at.Offset+int64(len(r.have)))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	r.have = append(r.have, chunk[:n]...)
	return n > 0, nil
}

// turn goes to the beginning of what took the place of what was read to its end, and says whether it did.
func (r *Reader) turn() (bool, error) {
	info, err := os.Stat(r.path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // It is about to be made again.
	}
	if err != nil {
		return false, err
	}
	switch {
	case inode(info) != r.at.Inode:
		if more, err := r.fill(); more || err != nil { // It was written to until it was replaced.
			return more, err
		}
		_ = r.file.Close()
		if err := r.open(); err != nil {
			return false, err
		}
	case info.Size() < r.at.Offset:
		r.at.Offset = 0
	default:
		return false, nil
	}
	r.have, r.skip = nil, false
	return true, nil
}

var stamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)

// time is when a line was logged.
func (r *Reader) time(text string) time.Time {
	if r.caught {
		return r.options.Clock.Now()
	}
	at, err := time.Parse(time.RFC3339, stamp.FindString(text[:min(len(text), 1024)]))
	if err != nil || at.Before(r.options.Since) {
		return time.Time{}
	}
	return at
}
