package nvme

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Of the SMART / Health Information log page (NVM Express Base Specification 2.0c, 5.16.1.3).
const (
	healthID      = 0x02
	healthSize    = 512
	allNamespaces = 0xffffffff
)

// Warning is the critical warnings, a bit each.
type Warning uint8

// The bits of the specification.
const (
	SpareLow Warning = 1 << iota
	Temperature
	Unreliable
	ReadOnly
	BackupFailed
	RegionUnreliable
)

var warnings = []string{
	"available spare is below its threshold", "temperature is out of bounds", "reliability is degraded", "media is read-only",
	"volatile memory backup has failed", "persistent memory region is unreliable",
}

// String is the warnings in words.
func (w Warning) String() string {
	var all []string
	for w := uint8(w); w != 0; w &= w - 1 {
		if bit := bits.TrailingZeros8(w); bit < len(warnings) {
			all = append(all, warnings[bit])
		} else {
			all = append(all, fmt.Sprintf("bit %d", bit))
		}
	}
	return strings.Join(all, ", ")
}

// Health is what a disk says of itself.
type Health struct {
	Critical Warning
	// Spare and Threshold are the spare capacity that is left, and below which it warns, in percent.
	Spare, Threshold int
	// Used is how much of the disk's endurance has been used, in percent, up to 255.
	Used int
	// MediaErrors is how often it could not give back what was written, since it was made.
	MediaErrors uint64
}

// ReadHealth asks a controller.
func ReadHealth(c Controller) (Health, error) {
	page, err := LogPage(c.Device, Page{ID: healthID, Namespace: allNamespaces, Size: healthSize, Words: healthSize/4 - 1})
	if err != nil {
		return Health{}, fmt.Errorf("ask %s for its health: %w", c.Name, err)
	}
	h, err := ParseHealth(page)
	if err != nil {
		return Health{}, fmt.Errorf("health of %s: %w", c.Name, err)
	}
	return h, nil
}

// ParseHealth reads the log page. A spare of more than 100 % is none: the page is of a device that does not know its health.
func ParseHealth(page []byte) (Health, error) {
	if len(page) != healthSize {
		return Health{}, fmt.Errorf("a log page of %d bytes", len(page))
	}
	h := Health{Critical: Warning(page[0]), Spare: int(page[3]), Threshold: int(page[4]), Used: int(page[5]), MediaErrors: binary.LittleEndian.Uint64(page[160:])}
	if h.Spare > 100 || h.Threshold > 100 {
		return Health{}, fmt.Errorf("an available spare of %d %% (threshold %d %%)", h.Spare, h.Threshold)
	}
	if binary.LittleEndian.Uint64(page[168:]) != 0 { // It has 128 bits.
		h.MediaErrors = math.MaxUint64
	}
	return h, nil
}
