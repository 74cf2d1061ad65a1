package cluster

import "google.golang.org/protobuf/encoding/protowire"

// A few bytes of a file may decode to a Go struct of hundreds: the longest objects are checked before they are decoded.
const (
	// long is the size in bytes from which an object is checked.
	long = 256 << 10
	// maxParts bounds the values in one object. etcd takes no object of more than 1.5 MiB, in which a value with its name
	// takes some ten bytes.
	maxParts = 150_000
)

// explodes says whether decoding an object would take many times its size.
func (r raw) explodes() bool {
	switch {
	case len(r.data) < long:
		return false
	case r.encoding == asProtobuf:
		return fields(r.data, 0) > maxParts
	default:
		return values(r.data) > maxParts
	}
}

// values is about how many values JSON holds: those that a comma or a brace stands before.
func values(text []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '{' || c == '['):
			n++
		}
	}
	return n
}

// fields is how many fields a message has, and what may be messages in it; what is a string may count as well if it
// happens to look like a message.
func fields(message []byte, depth int) int {
	const deepest = 20
	n := 0
	for len(message) > 0 {
		_, wire, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return 0
		}
		n++
		if wire == protowire.BytesType && depth < deepest {
			if inner, length := protowire.ConsumeBytes(message[tag:]); length >= 0 {
				n += fields(inner, depth+1)
			}
		}
		length := protowire.ConsumeFieldValue(0, wire, message[tag:])
		if length < 0 {
			return 0
		}
		message = message[tag+length:]
	}
	return n
}
