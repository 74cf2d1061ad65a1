package cri

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a protobuf message while it is written. Empty fields are left out, as in proto3.
type message []byte

func (m message) text(number protowire.Number, value string) message {
	if value == "" {
		return m
	}
	return protowire.AppendString(protowire.AppendTag(m, number, protowire.BytesType), value)
}

func (m message) number(number protowire.Number, value uint64) message {
	if value == 0 {
		return m
	}
	return protowire.AppendVarint(protowire.AppendTag(m, number, protowire.VarintType), value)
}

func (m message) nested(number protowire.Number, value message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, number, protowire.BytesType), value)
}

func (m message) labels(number protowire.Number, labels map[string]string) message {
	for key, value := range labels {
		m = m.nested(number, message(nil).text(1, key).text(2, value))
	}
	return m
}

// field is a field of a message that is read: the bytes of a text or a message, or, where those are nil, the varint of a
// number or a flag.
type field struct {
	number protowire.Number
	bytes  []byte
	varint uint64
}

// text takes the field over, if it is one. Of another kind it is not the field that is meant, as in protobuf.
func (f field) text(into *string) error {
	if f.bytes != nil {
		*into = string(f.bytes)
	}
	return nil
}

// is takes over whether a number is the one.
func (f field) is(number uint32, into *bool) error {
	if f.bytes == nil {
		*into = uint32(f.varint) == number
	}
	return nil
}

// each visits the fields of a message in their order, but for kinds that nothing here reads.
func each(from []byte, visit func(field) error) error {
	for len(from) > 0 {
		number, kind, n := protowire.ConsumeTag(from)
		if n < 0 {
			return fmt.Errorf("read a field's tag: %w", protowire.ParseError(n))
		}
		from = from[n:]
		read := field{number: number}
		switch kind {
		case protowire.BytesType:
			read.bytes, n = protowire.ConsumeBytes(from)
		case protowire.VarintType:
			read.varint, n = protowire.ConsumeVarint(from)
		default:
			n = protowire.ConsumeFieldValue(number, kind, from)
		}
		if n < 0 {
			return fmt.Errorf("read field %d: %w", number, protowire.ParseError(n))
		}
		from = from[n:]
		if kind != protowire.BytesType && kind != protowire.VarintType {
			continue
		}
		if err := visit(read); err != nil {
			return err
		}
	}
	return nil
}

// list reads the messages of a repeated field.
func list[T any](from []byte, number protowire.Number, read func(*T, field) error) ([]T, error) {
	var all []T
	err := each(from, func(f field) error {
		if f.number != number || f.bytes == nil {
			return nil
		}
		var one T
		err := each(f.bytes, func(f field) error { return read(&one, f) })
		all = append(all, one)
		return err
	})
	return all, err
}
