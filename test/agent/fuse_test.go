package agent

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
)

// badFile is a file on a filesystem of the test's own (FUSE), reads and writes of which fail with any error that a test wants: a disk
// on it has that error.
type badFile struct {
	path string
	data *os.File
	size int64
	err  atomic.Int32 // an errno; 0 while it works
}

// Of include/uapi/linux/fuse.h.
const (
	fuseLookup, fuseForget, fuseGetattr, fuseOpen, fuseRead, fuseWrite = 1, 2, 3, 14, 15, 16
	fuseRelease, fuseFsync, fuseFlush, fuseInit, fuseInterrupt         = 18, 20, 25, 26, 36
	fuseBatchForget                                                    = 42

	fuseDirectIO = 1 // FOPEN_DIRECT_IO
	fuseRoot     = 1
	fuseMaxWrite = 128 << 10
)

// newBadFile mounts it in the namespace of a test that runs alone.
func newBadFile(t *testing.T, megabytes int64) *badFile {
	t.Helper()
	at := "/mnt/bad"
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	device, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0) // An *os.File would poll it, which it does not take before the mount.
	if err != nil {
		agenttest.Need(t, "/dev/fuse")
		t.Fatal(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", device)
	if err := unix.Mount("naosu", at, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		t.Fatalf("mount a filesystem of one's own: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	data, err := os.Create(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = data.Close() })
	f := &badFile{path: filepath.Join(at, "image"), data: data, size: megabytes << 20}
	go f.serve(device)
	return f
}

// serve answers until the process ends, with which the filesystem goes.
func (f *badFile) serve(device int) {
	request := make([]byte, fuseMaxWrite+4096)
	for {
		n, err := unix.Read(device, request)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil {
			return
		}
		if answer := f.answer(request[:n]); answer != nil {
			_, _ = unix.Write(device, answer)
		}
	}
}

// answer is what is said to a request: a header of 16 bytes and what the operation gives. Nil if nothing is to be said.
func (f *badFile) answer(request []byte) []byte {
	operation, unique := binary.NativeEndian.Uint32(request[4:]), binary.NativeEndian.Uint64(request[8:])
	node, body := binary.NativeEndian.Uint64(request[16:]), request[40:]
	var result []byte
	errno := syscall.Errno(0)
	switch operation {
	case fuseForget, fuseBatchForget, fuseInterrupt:
		return nil
	case fuseInit:
		result = words(uint32(7), uint32(31), uint32(0), uint32(0), uint32(0), uint32(fuseMaxWrite), uint32(1), uint32(0), [8]uint32{})
	case fuseGetattr:
		result = words(uint64(0), uint64(0), f.attributes(node))
	case fuseLookup:
		result = words(uint64(2), uint64(0), uint64(0), uint64(0), uint64(0), f.attributes(2))
		if string(body) != "image\x00" {
			result, errno = nil, syscall.ENOENT
		}
	case fuseOpen:
		result = words(uint64(1), uint32(fuseDirectIO), uint32(0))
	case fuseRelease, fuseFsync, fuseFlush:
	case fuseRead:
		result, errno = f.read(body)
	case fuseWrite:
		result, errno = f.write(body)
	default:
		errno = syscall.ENOSYS
	}
	if errno != 0 {
		result = nil
	}
	return append(words(uint32(16+len(result)), -int32(errno), unique), result...)
}

// read gives what was written, and zeros where nothing was.
func (f *badFile) read(body []byte) ([]byte, syscall.Errno) {
	at, result := binary.NativeEndian.Uint64(body[8:]), make([]byte, binary.NativeEndian.Uint32(body[16:]))
	if _, err := f.data.ReadAt(result, int64(at)); err != nil && !errors.Is(err, io.EOF) {
		return nil, syscall.EBADF
	}
	return result, syscall.Errno(f.err.Load())
}

func (f *badFile) write(body []byte) ([]byte, syscall.Errno) {
	if errno := f.err.Load(); errno != 0 {
		return nil, syscall.Errno(errno)
	}
	at, size := binary.NativeEndian.Uint64(body[8:]), binary.NativeEndian.Uint32(body[16:])
	if _, err := f.data.WriteAt(body[40:40+size], int64(at)); err != nil {
		return nil, syscall.EBADF
	}
	return words(size, uint32(0)), 0
}

// attributes are a struct fuse_attr: the root's, or the file's.
func (f *badFile) attributes(node uint64) []byte {
	mode, size := uint32(unix.S_IFREG|0o600), uint64(f.size)
	if node == fuseRoot {
		mode, size = unix.S_IFDIR|0o700, 0
	}
	return words(node, size, size/512, [3]uint64{}, [3]uint32{}, mode, uint32(1), [3]uint32{}, uint32(4096), uint32(0))
}

// loop is a loop device on the file, which gives its errors on, until the test ends.
func (f *badFile) loop(t *testing.T) (device string) {
	t.Helper()
	device = strings.TrimSpace(run(t, "losetup", "--find", "--show", "--direct-io=on", f.path)) // Else each error is an I/O error.
	t.Cleanup(func() {
		_ = exec.CommandContext(context.WithoutCancel(t.Context()), "losetup", "--detach", device).Run()
	})
	return device
}

// words are numbers one after another, as the kernel has them in memory.
func words(all ...any) []byte {
	var out bytes.Buffer
	for _, one := range all {
		_ = binary.Write(&out, binary.NativeEndian, one) // A buffer takes all.
	}
	return out.Bytes()
}
