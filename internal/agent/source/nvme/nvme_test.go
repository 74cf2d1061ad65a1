package nvme

import (
	"encoding/binary"
	"testing"
	"unsafe"
)

// The ioctl's number holds the size of the command.
func TestCommandIsTheKernels(t *testing.T) {
	if got, want := unsafe.Sizeof(command{}), uintptr(adminCommand>>16&0x3fff); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	page := make([]byte, 4096)
	c := logPage(page, Page{ID: 0xd0, Namespace: 1, Size: 4096, Words: 1024})
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&c)), unsafe.Sizeof(c))
	// Offsets of include/uapi/linux/nvme_ioctl.h.
	for name, field := range map[string]struct{ got, want uint64 }{
		"opcode":    {uint64(raw[0]), 2},
		"namespace": {uint64(binary.NativeEndian.Uint32(raw[4:])), 1},
		"address":   {binary.NativeEndian.Uint64(raw[24:]), uint64(uintptr(unsafe.Pointer(&page[0])))},
		"length":    {uint64(binary.NativeEndian.Uint32(raw[36:])), 4096},
		"word 10":   {uint64(binary.NativeEndian.Uint32(raw[40:])), 0xd0 | 1024<<16},
		"timeout":   {uint64(binary.NativeEndian.Uint32(raw[64:])), 5000},
	} {
		if field.got != field.want {
			t.Errorf("%s is %#x, want %#x", name, field.got, field.want)
		}
	}
}
