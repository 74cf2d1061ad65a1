// Package ata reads the SMART status of the host's ATA disks, by which they predict their failure.
package ata

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
	sgIO          = 0x2285 // SG_IO (include/scsi/sg.h)
	sgNoData      = -1     // SG_DXFER_NONE
	checkSense    = 0x02   // the SCSI status CHECK CONDITION
	senseSize     = 32
	commandSize   = 16
	returnStatus  = 0x09 // the type of an ATA Status Return sense data descriptor (SAT-4, 12.2.2.7)
	illegalField  = 0x5  // the sense key ILLEGAL REQUEST
	abortedSense  = 0xb  // the sense key ABORTED COMMAND
	milliseconds  = 5000
	descriptorLen = 14
)

// smartReturnStatus is SMART RETURN STATUS (ATA8-ACS, 7.53.8) in ATA PASS-THROUGH (16) (SAT-4, 12.2.2.3). It transfers no data, and asks for
// the registers (CK_COND): the answer stands there.
var smartReturnStatus = [commandSize]byte{0: 0x85, 1: 3 << 1, 2: 1 << 5, 4: 0xda, 10: 0x4f, 12: 0xc2, 14: 0xb0}

// ErrUnsupported is of a disk that has no SMART, or has it switched off.
var ErrUnsupported = errors.New("the disk has no SMART, or it is switched off")

// Disk is an ATA disk: "sda".
type Disk struct {
	Name, Model string
	// Device is its path.
	Device string
}

// Disks are those of a host by name. The kernel's SCSI layer has the vendor ATA for every disk that libata drives.
func Disks(h host.Host) ([]Disk, error) {
	entries, err := os.ReadDir(h.Path("/sys/block"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list block devices: %w", err)
	}
	var all []Disk
	for _, entry := range entries {
		folder := h.Path(filepath.Join("/sys/block", entry.Name(), "device"))
		if word(folder, "vendor") == "ATA" && word(folder, "type") == "0" {
			all = append(all, Disk{Name: entry.Name(), Model: word(folder, "model"), Device: h.Path(filepath.Join("/dev", entry.Name()))})
		}
	}
	return all, nil
}

// word is a file of one word; empty if it cannot be read, as when the disk has just gone.
func word(folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// FailurePredicted reads a disk's SMART status. It needs CAP_SYS_RAWIO and the device. The error is ErrUnsupported if the disk has none.
func FailurePredicted(d Disk) (bool, error) {
	sense, err := send(d.Device, smartReturnStatus)
	if err != nil {
		return false, fmt.Errorf("ask %s for its SMART status: %w", d.Name, err)
	}
	predicted, err := ParseStatus(sense)
	if err != nil {
		return false, fmt.Errorf("SMART status of %s: %w", d.Name, err)
	}
	return predicted, nil
}

// ParseStatus reads the registers in the sense data of SMART RETURN STATUS: 4Fh and C2h stay in the LBA while no threshold is exceeded, and
// become F4h and 2Ch if one is (ATA8-ACS, 7.53.8.5).
func ParseStatus(sense []byte) (bool, error) {
	if len(sense) < 8 {
		return false, fmt.Errorf("sense data of %d bytes", len(sense))
	}
	var key, mid, high byte
	switch sense[0] & 0x7f {
	case 0x72: // descriptors
		key = sense[1] & 0xf
		if at := 8; len(sense) >= at+descriptorLen && sense[at] == returnStatus {
			mid, high = sense[at+9], sense[at+11]
		}
	case 0x70: // fixed
		key = sense[2] & 0xf
		if len(sense) >= 18 {
			mid, high = sense[10], sense[11]
		}
	default:
		return false, fmt.Errorf("sense data in the format %#x", sense[0])
	}
	switch {
	case key == illegalField || key == abortedSense:
		return false, ErrUnsupported
	case mid == 0x4f && high == 0xc2:
		return false, nil
	case mid == 0xf4 && high == 0x2c:
		return true, nil
	}
	return false, fmt.Errorf("neither of the standard's answers: sense key %#x, LBA %#02x %#02x", key, mid, high)
}

// header is the kernel's struct sg_io_hdr (include/scsi/sg.h).
type header struct {
	interfaceID, direction     int32
	commandLength, maxSense    uint8
	_                          uint16
	dataLength                 uint32
	data, command, sense       uintptr
	timeout, flags             uint32
	_                          int32
	_                          uintptr
	status, _, _, senseWritten uint8
	hostStatus, driverStatus   uint16
	residual                   int32
	duration, info             uint32
}

// send gives a command without data to a device, and is the sense data that comes back.
func send(device string, command [commandSize]byte) ([]byte, error) {
	file, err := os.Open(device)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sense := make([]byte, senseSize)
	var still runtime.Pinner // the kernel is told of both by a number
	still.Pin(&sense[0])
	still.Pin(&command[0])
	defer still.Unpin()
	h := header{
		interfaceID: 'S', direction: sgNoData, commandLength: commandSize, maxSense: senseSize, timeout: milliseconds,
		command: uintptr(unsafe.Pointer(&command[0])), sense: uintptr(unsafe.Pointer(&sense[0])), // The kernel reads and writes there.
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), sgIO, uintptr(unsafe.Pointer(&h))); errno != 0 {
		return nil, errno
	}
	if h.hostStatus != 0 || h.status != checkSense {
		return nil, fmt.Errorf("no answer: SCSI status %#x, host status %#x", h.status, h.hostStatus)
	}
	return sense[:min(h.senseWritten, senseSize)], nil
}
