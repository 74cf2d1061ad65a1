// Package hardware finds the accelerators of a host, by its PCI devices and by the files of their drivers.
package hardware

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Device is a PCI device.
type Device struct {
	// Address is domain, bus, slot and function, "0000:3b:00.0".
	Address        string
	Vendor, Device uint64
	// Class is the device's, with subclass and programming interface: 0x030200 is a 3D controller.
	Class uint64
}

// NeuronDevices are where the Neuron driver shows its devices
// (https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/neuron-sysfs-user-guide.html).
const NeuronDevices = "/sys/devices/virtual/neuron_device"

const (
	nvidia = 0x10de
	amazon = 0x1d0f
)

// Of PCI classes (https://admin.pci-ids.ucw.cz/read/PD), those of GPUs and of NVSwitches.
const (
	display     = 0x03   // base class
	otherBridge = 0x0680 // base class and subclass
)

// neuron are the device IDs of Inferentia and Trainium (neuron_device.h of github.com/aws-neuron/aws-neuron-driver fca19f7). Later ones show
// by their driver.
var neuron = []uint64{0x7064, 0x7065, 0x7066, 0x7067, 0x7164, 0x7264, 0x7364}

// shown is where drivers show their devices, as patterns for filepath.Glob.
var shown = map[reason.Hardware][]string{
	reason.NVIDIA: {"/dev/nvidia[0-9]*", "/dev/nvidia-nvswitch[0-9]*", "/proc/driver/nvidia/gpus/*"},
	reason.Neuron: {"/dev/neuron[0-9]*", NeuronDevices + "/neuron[0-9]*"},
}

// Kinds are the kinds of accelerators among PCI devices and what drivers show, sorted.
func Kinds(devices []Device, shows map[reason.Hardware]bool) []reason.Hardware {
	var kinds []reason.Hardware
	for _, kind := range []reason.Hardware{reason.Neuron, reason.NVIDIA} {
		if shows[kind] || slices.ContainsFunc(devices, func(d Device) bool { return d.kind() == kind }) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// kind is what accelerator the device is; empty if it is none. A GPU's functions for sound and USB are none.
func (d Device) kind() reason.Hardware {
	switch {
	case d.Vendor == nvidia && (d.Class>>16 == display || d.Class>>8 == otherBridge):
		return reason.NVIDIA
	case d.Vendor == amazon && slices.Contains(neuron, d.Device):
		return reason.Neuron
	}
	return ""
}

// Find is what accelerators a host has. A host without a PCI bus has none there.
func Find(h host.Host) ([]reason.Hardware, error) {
	devices, err := pci(h)
	if err != nil {
		return nil, err
	}
	shows := map[reason.Hardware]bool{}
	for kind, patterns := range shown {
		for _, pattern := range patterns {
			found, err := filepath.Glob(h.Path(pattern))
			if err != nil {
				return nil, err
			}
			shows[kind] = shows[kind] || len(found) > 0
		}
	}
	return Kinds(devices, shows), nil
}

// pci reads the devices of the bus. One that goes meanwhile is left out.
func pci(h host.Host) ([]Device, error) {
	const folder = "/sys/bus/pci/devices"
	entries, err := os.ReadDir(h.Path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the PCI devices: %w", err)
	}
	var devices []Device
	for _, entry := range entries {
		d := Device{Address: entry.Name()}
		err := errors.Join(number(h, folder, d.Address, "vendor", &d.Vendor), number(h, folder, d.Address, "device", &d.Device), number(h, folder, d.Address, "class", &d.Class))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("read the PCI device %s: %w", d.Address, err)
		default:
			devices = append(devices, d)
		}
	}
	return devices, nil
}

// number reads a file such as vendor, which holds 0x10de.
func number(h host.Host, folder, address, name string, into *uint64) error {
	text, err := os.ReadFile(h.Path(filepath.Join(folder, address, name)))
	if err != nil {
		return err
	}
	*into, err = strconv.ParseUint(strings.TrimSpace(string(text)), 0, 64)
	return err
}

// Printable says whether processes may have the kernel log any text: the Neuron driver prints what a process that holds one of its
// devices gives it (NEURON_IOCTL_PRINTK; ncdev_printk in neuron_cdev.c of github.com/aws-neuron/aws-neuron-driver), and such records are
// like the kernel's own.
func Printable(h host.Host) bool {
	for _, pattern := range shown[reason.Neuron] {
		if found, _ := filepath.Glob(h.Path(pattern)); len(found) > 0 { // The pattern is well-formed.
			return true
		}
	}
	return false
}
