package netlink

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// Attributes calls each with all attributes in data (struct nlattr).
func Attributes(data []byte, each func(kind uint16, value []byte)) error {
	for len(data) >= unix.SizeofNlAttr {
		length, kind := int(binary.NativeEndian.Uint16(data)), binary.NativeEndian.Uint16(data[2:])
		if length < unix.SizeofNlAttr || length > len(data) {
			return errors.New("read a netlink answer: an attribute of a strange length")
		}
		each(kind&^(unix.NLA_F_NESTED|unix.NLA_F_NET_BYTEORDER), data[unix.SizeofNlAttr:length])
		data = data[min(aligned(length), len(data)):]
	}
	return nil
}

// Attribute is the value of one; nil if there is none.
func Attribute(data []byte, wanted uint16) (found []byte) {
	_ = Attributes(data, func(kind uint16, value []byte) {
		if kind == wanted {
			found = value
		}
	})
	return found
}

// AppendAttribute appends an attribute of a kind, and the padding after it. Its value are the parts, one after the other.
func AppendAttribute(data []byte, kind uint16, parts ...[]byte) []byte {
	value := bytes.Join(parts, nil)
	data = binary.NativeEndian.AppendUint16(data, uint16(unix.SizeofNlAttr+len(value)))
	data = append(binary.NativeEndian.AppendUint16(data, kind), value...)
	return append(data, make([]byte, aligned(len(value))-len(value))...)
}

// aligned is a length with the padding after it (NLA_ALIGN, NLMSG_ALIGN).
func aligned(length int) int { return (length + unix.NLA_ALIGNTO - 1) &^ (unix.NLA_ALIGNTO - 1) }
