// Package nvme reads log pages of the host's NVMe controllers.
package nvme

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

const (
	adminCommand = 0xc0484e41 // NVME_IOCTL_ADMIN_CMD
	getLogPage   = 0x02
)

// Controller is an NVMe controller: "nvme0".
type Controller struct {
	Name, Model, Serial string
	// Device is its path.
	Device string
}

// Controllers are those of a host by name, none if it has none.
func Controllers(h host.Host) ([]Controller, error) {
	entries, err := os.ReadDir(h.Path("/sys/class/nvme"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list NVMe controllers: %w", err)
	}
	var all []Controller
	for _, entry := range entries {
		folder := h.Path(filepath.Join("/sys/class/nvme", entry.Name()))
		all = append(all, Controller{
			Name: entry.Name(), Model: word(folder, "model"), Serial: word(folder, "serial"), Device: h.Path(filepath.Join("/dev", entry.Name())),
		})
	}
	return all, nil
}

// word is a file of one word; empty if it cannot be read, as when the controller has just gone.
func word(folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Page is what is asked for: a log page by its identifier, of a namespace, into a buffer of Size bytes.
type Page struct {
	ID        uint8
	Namespace uint32
	Size      int
	// Words is how many words of four bytes the controller is asked for, less one (NUMD).
	Words uint32
}

// StatusError is what a controller says that refuses a command: the status field of its completion.
type StatusError uintptr

func (s StatusError) Error() string {
	return fmt.Sprintf("the controller refuses: status %#x", uintptr(s))
}

// LogPage asks a controller, at its device. It needs CAP_SYS_ADMIN and the device. The error is a StatusError where the controller refuses.
func LogPage(device string, wanted Page) ([]byte, error) {
	file, err := os.Open(device)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	page := make([]byte, wanted.Size)
	var still runtime.Pinner // the kernel is told of the page by a number
	still.Pin(&page[0])
	defer still.Unpin()
	command := logPage(page, wanted)
	status, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), adminCommand, uintptr(unsafe.Pointer(&command)))
	if errno != 0 {
		return nil, errno
	}
	if status != 0 {
		return nil, StatusError(status)
	}
	return page, nil
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

func logPage(page []byte, wanted Page) command {
	return command{
		opcode: getLogPage, namespace: wanted.Namespace,
		address: uint64(uintptr(unsafe.Pointer(&page[0]))), length: uint32(len(page)), // The kernel writes there.
		word10: uint32(wanted.ID) | wanted.Words<<16, milliseconds: 5000,
	}
}
