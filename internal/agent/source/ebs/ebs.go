// Package ebs reads for how long an Amazon EBS volume, or its instance, exceeded its provisioned performance. These counters are in a vendor log
// page of the NVMe device; the layout is that of Amazon's own tool
// (https://github.com/amazonlinux/amazon-ec2-utils, ebsnvme, at d84cf6d).
package ebs

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/nvme"
)

const (
	model = "Amazon Elastic Block Store"

	pageID    = 0xd0
	pageSize  = 4096
	pageMagic = 0x3c23b510
)

// Volume is an attached EBS volume.
type Volume struct {
	// ID is "vol-0123456789abcdef0", Device the path of its controller.
	ID, Device string
}

// Is says whether a controller is an EBS volume's.
func Is(c nvme.Controller) bool { return c.Model == model }

// Volumes are the EBS volumes of a host, none if it has none.
func Volumes(h host.Host) ([]Volume, error) {
	controllers, err := nvme.Controllers(h)
	if err != nil {
		return nil, err
	}
	var volumes []Volume
	for _, controller := range controllers {
		if Is(controller) {
			volumes = append(volumes, Volume{ID: identity(controller.Serial), Device: controller.Device})
		}
	}
	slices.SortFunc(volumes, func(a, b Volume) int { return strings.Compare(a.ID, b.ID) })
	return volumes, nil
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
	// Amazon's tool asks for one word more than there is room for, and so do we: nothing else is known to be answered.
	page, err := nvme.LogPage(v.Device, nvme.Page{ID: pageID, Namespace: 1, Size: pageSize, Words: pageSize / 4})
	if err != nil {
		return Exceeded{}, fmt.Errorf("ask volume %s for its log page: %w", v.ID, err)
	}
	return Parse(page)
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
		return time.Duration(binary.LittleEndian.Uint64(page[8+8*i:])) * time.Microsecond // It overflows after 292,000 years.
	}
	return Exceeded{VolumeIOPS: micros(6), VolumeThroughput: micros(7), InstanceIOPS: micros(8), InstanceThroughput: micros(9)}, nil
}
