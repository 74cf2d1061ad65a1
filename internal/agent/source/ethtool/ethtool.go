// Package ethtool reads the counters that a network card's driver keeps of itself, with the ioctl that ethtool -S uses.
package ethtool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrNone says that the link's driver keeps no counters.
var ErrNone = errors.New("the driver keeps no counters")

// most bounds how many counters are read; the largest drivers have some thousands.
const most = 1 << 14

// linux/ethtool.h: ETH_SS_STATS, ETH_GSTRING_LEN.
const (
	setCounters = 1
	nameSize    = 32
)

// Counters are those of a link, by the driver's names for them. Wanted says which names are kept.
func Counters(name string, wanted func(counter string) bool) (map[string]uint64, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("read the counters of %s: %w", name, err)
	}
	defer func() { _ = unix.Close(socket) }()
	info, err := unix.IoctlGetEthtoolDrvinfo(socket, name)
	if errors.Is(err, unix.EOPNOTSUPP) || err == nil && info.N_stats == 0 {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("read the counters of %s: %w", name, err)
	}
	count := min(info.N_stats, most)
	names, err := ask(socket, name, unix.ETHTOOL_GSTRINGS, count, nameSize, setCounters)
	if err != nil {
		return nil, fmt.Errorf("read the names of the counters of %s: %w", name, err)
	}
	values, err := ask(socket, name, unix.ETHTOOL_GSTATS, count, 8)
	if err != nil {
		return nil, fmt.Errorf("read the counters of %s: %w", name, err)
	}
	return parse(names, values, wanted), nil
}

// parse puts names, each in 32 bytes, and numbers together.
func parse(names, values []byte, wanted func(string) bool) map[string]uint64 {
	counters := map[string]uint64{}
	for len(names) >= nameSize && len(values) >= 8 {
		if counter := unix.ByteSliceToString(names[:nameSize]); wanted(counter) {
			counters[counter] = binary.NativeEndian.Uint64(values)
		}
		names, values = names[nameSize:], values[8:]
	}
	return counters
}

// ask sends a command with its words and returns count elements of a size, which the kernel writes behind words and count
// (struct ethtool_gstrings, struct ethtool_stats).
func ask(socket int, name string, command, count uint32, size int, words ...uint32) ([]byte, error) {
	head := 4 * (len(words) + 2)
	// Somewhat more than was said there are: the kernel asks the driver again, whose queues may have grown since.
	const slack = 1024
	buffer := make([]byte, head+(int(count)+slack)*size)
	binary.NativeEndian.PutUint32(buffer, command)
	for i, word := range append(words, count) {
		binary.NativeEndian.PutUint32(buffer[4*(i+1):], word)
	}
	request := struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte // The rest of the union in struct ifreq.
	}{data: unsafe.Pointer(&buffer[0])} // The kernel writes there.
	copy(request.name[:unix.IFNAMSIZ-1], name)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return nil, errno
	}
	answered := min(binary.NativeEndian.Uint32(buffer[head-4:]), count)
	return buffer[head : head+int(answered)*size], nil
}
