// Package fsmap reads the fragmentation of a filesystem's free space from the kernel's map of it (ioctl FS_IOC_GETFSMAP,
// Linux 4.12): no tool is run and the device is not opened. Without privileges the kernel tells free space all the same
// and only hides who owns the rest (man 2 ioctl_getfsmap).
package fsmap

import (
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From the kernel's include/uapi/linux/fsmap.h.
const (
	getFSMap     = 0xc0c0583b // _IOWR('X', 59, struct fsmap_head)
	headSize     = 192
	recordSize   = 64
	specialOwner = 0x10
	lastRecord   = 0x20
	ownerFree    = 1
)

const (
	// slices are the parts of a filesystem that are read alike, so that a cut reading is of all of it.
	slices = 16
	// batch is how many records are asked for at once: 32 KiB.
	batch = 512
)

// Space is the free space that was read.
type Space struct {
	// Extents are the pieces of free space, Bytes their sum.
	Extents, Bytes uint64
	// Records is how many records were read, of used space too.
	Records int
	// Cut says that there were more records than were to be read. They were read from the beginning of each of 16 slices.
	Cut bool
}

// Average is the mean size of a piece of free space in bytes, zero if there is none.
func (s Space) Average() float64 {
	if s.Extents == 0 {
		return 0
	}
	return float64(s.Bytes) / float64(s.Extents)
}

// Free reads the free space of the filesystem that holds a file or folder, limit records of it at most.
func Free(file *os.File, limit int) (Space, error) {
	var stat unix.Stat_t
	var statfs unix.Statfs_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return Space{}, fmt.Errorf("look at %s: %w", file.Name(), err)
	}
	if err := unix.Fstatfs(int(file.Fd()), &statfs); err != nil {
		return Space{}, fmt.Errorf("measure the filesystem of %s: %w", file.Name(), err)
	}
	r := reader{file: file, device: encode(stat.Dev), buffer: make([]byte, headSize+batch*recordSize)}
	width := statfs.Blocks*uint64(statfs.Bsize)/slices + 1
	for i := range uint64(slices) {
		share := (limit - r.space.Records) / int(slices-i) // What a slice leaves is the others'.
		if err := r.slice(i*width, (i+1)*width, i == slices-1, share); err != nil {
			return Space{}, fmt.Errorf("read the map of %s: %w", file.Name(), err)
		}
	}
	return r.space, nil
}

// encode is a device number as the kernel's new_encode_dev has it in 32 bits.
func encode(device uint64) uint32 {
	major, minor := unix.Major(device), unix.Minor(device)
	return minor&0xff | major<<8 | (minor&^0xff)<<12
}

type reader struct {
	file   *os.File
	device uint32
	buffer []byte
	space  Space
}

// slice reads the records that begin in [start, end), limit at most. The open slice has no end: what the kernel maps may
// be longer than what statfs counts.
func (r *reader) slice(start, end uint64, open bool, limit int) error {
	low := record{Device: r.device, Physical: start}
	for read := 0; ; {
		got, err := r.ask(low)
		if err != nil || len(got) == 0 {
			return err
		}
		for _, found := range got {
			if found.Device != r.device || !open && found.Physical >= end {
				return nil
			}
			r.count(found, start)
		}
		if low = got[len(got)-1]; low.Flags&lastRecord != 0 {
			return nil
		}
		if read += len(got); read >= limit {
			r.space.Cut = true
			return nil
		}
	}
}

// count takes a record in, unless it began in the slice before.
func (r *reader) count(found record, start uint64) {
	r.space.Records++
	if found.free() && found.Physical >= start {
		r.space.Extents++
		r.space.Bytes += found.Length
	}
}

// ask has the kernel tell the records after one.
func (r *reader) ask(low record) ([]record, error) {
	question(r.buffer, low)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, r.file.Fd(), getFSMap, uintptr(unsafe.Pointer(&r.buffer[0])))
	if errno != 0 {
		return nil, errno
	}
	return answer(r.buffer)
}

// record is the kernel's struct fsmap.
type record struct {
	Device, Flags                   uint32
	Physical, Owner, Offset, Length uint64
}

func (r record) free() bool { return r.Flags&specialOwner != 0 && r.Owner == ownerFree }

// question writes a struct fsmap_head that asks for all that comes after low.
func question(buffer []byte, low record) {
	clear(buffer[:headSize])
	binary.NativeEndian.PutUint32(buffer[8:], uint32((len(buffer)-headSize)/recordSize))
	put(buffer[64:], low)
	put(buffer[128:], record{Device: ^uint32(0), Flags: ^uint32(0), Physical: ^uint64(0), Owner: ^uint64(0), Offset: ^uint64(0)})
}

// answer reads the records that the kernel wrote.
func answer(buffer []byte) ([]record, error) {
	if len(buffer) < headSize {
		return nil, fmt.Errorf("an answer of %d bytes", len(buffer))
	}
	entries := uint64(binary.NativeEndian.Uint32(buffer[12:]))
	if entries > uint64(len(buffer)-headSize)/recordSize {
		return nil, fmt.Errorf("%d records do not fit into %d bytes", entries, len(buffer))
	}
	records := make([]record, entries)
	for i := range records {
		records[i] = get(buffer[headSize+i*recordSize:])
	}
	return records, nil
}

func put(b []byte, r record) {
	order := binary.NativeEndian
	order.PutUint32(b, r.Device)
	order.PutUint32(b[4:], r.Flags)
	order.PutUint64(b[8:], r.Physical)
	order.PutUint64(b[16:], r.Owner)
	order.PutUint64(b[24:], r.Offset)
	order.PutUint64(b[32:], r.Length)
}

func get(b []byte) record {
	order := binary.NativeEndian
	return record{
		Device: order.Uint32(b), Flags: order.Uint32(b[4:]), Physical: order.Uint64(b[8:]), Owner: order.Uint64(b[16:]),
		Offset: order.Uint64(b[24:]), Length: order.Uint64(b[32:]),
	}
}
