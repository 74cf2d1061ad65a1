package scheduling

import (
	"maps"
	"slices"
)

// appendText ends with a byte that no name or label holds.
func appendText(key []byte, text string) []byte { return append(append(key, text...), 0) }

// appendMessage writes an API object in the API's storage encoding, in which equal objects are equal bytes.
func appendMessage(key []byte, m encodable) []byte {
	size := m.Size()
	key = slices.Grow(key, size)[:len(key)+size]
	if _, err := m.MarshalToSizedBuffer(key[len(key)-size:]); err != nil { // the encoding fails for no object of these types
		panic(err)
	}
	return key
}

func appendLabels(key []byte, labels map[string]string) []byte {
	const several = 16
	names := slices.AppendSeq(make([]string, 0, several), maps.Keys(labels))
	slices.Sort(names)
	for _, name := range names {
		key = appendText(appendText(key, name), labels[name])
	}
	return append(key, 1)
}

// encodable are the API's objects.
type encodable interface {
	Size() int
	MarshalToSizedBuffer(buffer []byte) (int, error)
}
