package kmsg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"
)

// maxRecord is the most that one read gives: the kernel's own buffer for a reader (CONSOLE_EXT_LOG_MAX, PRINTK_MESSAGE_MAX in
// kernel/printk). It refuses a smaller buffer for a longer record, for ever.
const maxRecord = 8192

// Between batches of records the reader rests, so that it wakes for a batch and not for each record: for maxBatchDelay as long as little is
// logged, and in a flood only until about batchSize records have come. The kernel's buffer holds 128 KiB where nothing else is configured
// (CONFIG_LOG_BUF_SHIFT in init/Kconfig), some 500 records, and overwrites the oldest.
const (
	minBatchDelay = time.Millisecond
	maxBatchDelay = 50 * time.Millisecond
	batchSize     = 128
)

// Reader reads a kernel log from its oldest record on. It is for one goroutine.
type Reader struct {
	file *os.File
	raw  syscall.RawConn
	buf  [maxRecord]byte
	// syscall is read(2).
	syscall func(fd int, into []byte) (int, error)

	boot  time.Time
	clock clock.Clock
	// batchDelay is how long the reader rested last; zero never rests. batch is how many records came since.
	batchDelay time.Duration
	batch      int
	// waited says that the log had been read to its end, so that the next record is a new one.
	waited bool

	next  uint64
	known bool
	lost  uint64
}

// Open opens a kernel log, "/dev/kmsg" or what stands for it. boot is when the host booted: the records tell their time from
// there on. Records before the sequence number from, which an earlier run has dealt with, are skipped; any between there and
// the oldest one count as lost.
func Open(path string, boot time.Time, from uint64, now clock.Clock) (*Reader, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("open the kernel log: %w", err)
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the kernel log: %w", err), file.Close())
	}
	return &Reader{file: file, raw: raw, syscall: unix.Read, boot: boot, clock: now, batchDelay: maxBatchDelay, next: from, known: from > 0}, nil
}

// Close ends it.
func (r *Reader) Close() error { return r.file.Close() }

// Lost is how many records were overwritten before they could be read, or could not be understood.
func (r *Reader) Lost() uint64 { return r.lost }

// Next is the next record, awaited if need be. It ends with ctx.
func (r *Reader) Next(ctx context.Context) (Record, error) {
	record, err := r.Buffered()
	if !errors.Is(err, io.EOF) {
		return record, err
	}
	r.waited = true
	if record, err := r.pause(ctx); !errors.Is(err, io.EOF) {
		return record, err
	}
	defer r.until(ctx)()
	record, err = r.read(true)
	if ctx.Err() != nil {
		return Record{}, ctx.Err()
	}
	return record, err
}

// pause rests, if there were records lately, and gives what came meanwhile, or io.EOF.
func (r *Reader) pause(ctx context.Context) (Record, error) {
	if r.batch > 0 && r.batchDelay > 0 {
		r.batchDelay = nextBatchDelay(r.batchDelay, r.batch)
		timer := r.clock.NewTimer(r.batchDelay)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C():
		}
	}
	if ctx.Err() != nil {
		return Record{}, ctx.Err()
	}
	r.batch = 0
	return r.Buffered()
}

// nextBatchDelay is how long to rest until about batchSize records have come, after a rest that gave a batch. It grows slowly, since a flood
// may go on after a pause.
func nextBatchDelay(last time.Duration, batch int) time.Duration {
	delay := last * batchSize / time.Duration(batch)
	return min(max(delay, minBatchDelay), 2*last, maxBatchDelay)
}

// until lets reads wait until ctx ends. What it gives back is called after them.
func (r *Reader) until(ctx context.Context) func() {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = r.file.SetReadDeadline(time.Unix(1, 0)) // A file that cannot be waited for has no deadline: it ends.
		close(ended)
	})
	return func() {
		if !stop() {
			<-ended
			_ = r.file.SetReadDeadline(time.Time{})
		}
	}
}

// Buffered is the next record that is there already, or io.EOF.
func (r *Reader) Buffered() (Record, error) { return r.read(false) }

func (r *Reader) read(wait bool) (Record, error) {
	for {
		n, err := r.once(wait)
		switch {
		case errors.Is(err, unix.EPIPE), errors.Is(err, unix.EINTR):
			continue // Overwritten while it was read: the next read goes on at the oldest, and the gap tells how many.
		case errors.Is(err, unix.EAGAIN):
			return Record{}, io.EOF
		case err != nil:
			return Record{}, fmt.Errorf("read the kernel log: %w", err)
		case n == 0:
			return Record{}, io.EOF
		}
		record, err := Parse(r.buf[:n])
		if err != nil {
			r.lost++
			continue
		}
		if r.counted(record.Seq) {
			record.At = r.at(record.Up)
			r.batch++
			return record, nil
		}
	}
}

func (r *Reader) once(wait bool) (n int, err error) {
	waiting := r.raw.Read(func(fd uintptr) bool {
		n, err = r.syscall(int(fd), r.buf[:])
		return !wait || !errors.Is(err, unix.EAGAIN)
	})
	if waiting != nil {
		return 0, waiting
	}
	return n, err
}

// counted notes a sequence number, and says whether it is one to be read.
func (r *Reader) counted(seq uint64) bool {
	if r.known && seq < r.next {
		return false
	}
	if r.known {
		r.lost += seq - r.next
	}
	r.next, r.known = seq+1, true
	return true
}

// at is the wall's time of a record. The kernel's clock for its log drifts from the wall's by minutes a month and stands
// still in suspend; of a record that was waited for the time is now.
func (r *Reader) at(up time.Duration) time.Time {
	now := r.clock.Now()
	if at := r.boot.Add(up); !r.waited && at.Before(now) {
		return at
	}
	return now
}
