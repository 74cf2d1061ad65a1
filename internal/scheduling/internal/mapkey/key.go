// Package mapkey writes the parts of objects as bytes, for keys of maps.
package mapkey

import (
	"maps"
	"slices"
)

// AppendText writes a text, and ends it with a byte that no name or label holds.
func AppendText(key []byte, text string) []byte { return append(append(key, text...), 0) }

// AppendMessage writes an API object in the API's storage encoding, in which equal objects are equal bytes.
func AppendMessage(key []byte, m encodable) []byte {
	size := m.Size()
	key = slices.Grow(key, size)[:len(key)+size]
	if _, err := m.MarshalToSizedBuffer(key[len(key)-size:]); err != nil { // the encoding fails for no object of these types
		panic(err)
	}
	return key
}

// AppendLabels writes labels in the order of their names.
func AppendLabels(key []byte, labels map[string]string) []byte {
	const several = 16
	names := slices.AppendSeq(make([]string, 0, several), maps.Keys(labels))
	slices.Sort(names)
	for _, name := range names {
		key = AppendText(AppendText(key, name), labels[name])
	}
	return append(key, 1)
}

// encodable are the API's objects.
type encodable interface {
	Size() int
	MarshalToSizedBuffer(buffer []byte) (int, error)
}
