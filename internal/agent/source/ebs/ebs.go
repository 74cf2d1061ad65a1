// Package ebs reads what an Amazon EBS volume says of itself: for how long it, or its instance, wanted more than it may
// have. It is a vendor's log page of the NVMe device; the layout is that of Amazon's own tool
// (https://github.com/amazonlinux/amazon-ec2-utils, ebsnvme, at d84cf6d).
package ebs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

const (
	model = "Amazon Elastic Block Store"

	pageID    = 0xd0
	pageSize  = 4096
	pageMagic = 0x3c23b510

	adminCommand = 0xc0484e41 // NVME_IOCTL_ADMIN_CMD
	getLogPage   = 0x02
)

// Volume is an attached EBS volume.
type Volume struct {
	// ID is "vol-0123456789abcdef0", Device the path of its controller.
	ID, Device string
}

// Volumes are the EBS volumes of a host, none if it has none.
func Volumes(h host.Host) ([]Volume, error) {
	controllers, err := os.ReadDir(h.Path("/sys/class/nvme"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list NVMe controllers: %w", err)
	}
	var volumes []Volume
	for _, controller := range controllers {
		folder := h.Path(filepath.Join("/sys/class/nvme", controller.Name()))
		if word(folder, "model") != model {
			continue
		}
		volumes = append(volumes, Volume{ID: identity(word(folder, "serial")), Device: h.Path(filepath.Join("/dev", controller.Name()))})
	}
	slices.SortFunc(volumes, func(a, b Volume) int { return strings.Compare(a.ID, b.ID) })
	return volumes, nil
}

// word is a file of one word; empty if it cannot be read, as when the controller has just gone.
func word(folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // below /sys/class/nvme
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// identity is a volume's ID from a serial number, which has no dash.
func identity(serial string) string {
	if rest, is := strings.CutPrefix(serial, "vol"); is && !strings.HasPrefix(rest, "-") {
		return "vol-" + rest
	}
	return serial
}

// Exceeded is for how long, since the volume was attached, more was wanted than is allowed.
type Exceeded struct {
	VolumeIOPS, VolumeThroughput, InstanceIOPS, InstanceThroughput time.Duration
}

// Read asks a volume. It needs CAP_SYS_ADMIN and the device.
func Read(v Volume) (Exceeded, error) {
	device, err := os.Open(v.Device)
	if err != nil {
		return Exceeded{}, fmt.Errorf("open volume %s: %w", v.ID, err)
	}
	defer device.Close()
	page := make([]byte, pageSize)
	var still runtime.Pinner // the kernel is told of the page by a number
	still.Pin(&page[0])
	defer still.Unpin()
	command := logPage(page)
	//nolint:gosec // The ioctl takes a pointer, and the command outlives the call.
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, device.Fd(), adminCommand, uintptr(unsafe.Pointer(&command)))
	if errno != 0 {
		return Exceeded{}, fmt.Errorf("ask volume %s for its log page: %w", v.ID, errno)
	}
	return Parse(page)
}

// command is the kernel's struct nvme_passthru_cmd (include/uapi/linux/nvme_ioctl.h).
type command struct {
	opcode, flags           uint8
	_                       uint16
	namespace               uint32
	_, _                    uint32
	metadata, address       uint64
	metadataLength, length  uint32
	word10, _, _, _, _, _   uint32
	milliseconds, resultOut uint32
}

func logPage(page []byte) command {
	return command{
		opcode: getLogPage, namespace: 1,
		address: uint64(uintptr(unsafe.Pointer(&page[0]))), length: pageSize, //nolint:gosec // the kernel writes there
		word10: pageID | 1024<<16, milliseconds: 5000,
	}
}

// Parse reads the log page.
func Parse(page []byte) (Exceeded, error) {
	if len(page) < 96 {
		return Exceeded{}, fmt.Errorf("a log page of %d bytes", len(page))
	}
	if magic := binary.LittleEndian.Uint32(page); magic != pageMagic {
		return Exceeded{}, fmt.Errorf("no log page of EBS: it begins with %#x", magic)
	}
	// Six counters of 64 bits come before these, after the magic and four bytes of nothing.
	micros := func(i int) time.Duration {
		return time.Duration(binary.LittleEndian.Uint64(page[8+8*i:])) * time.Microsecond //nolint:gosec // 292,000 years
	}
	return Exceeded{VolumeIOPS: micros(6), VolumeThroughput: micros(7), InstanceIOPS: micros(8), InstanceThroughput: micros(9)}, nil
}
