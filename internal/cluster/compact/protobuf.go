package compact

import (
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// splitMessage is a protobuf message split into fields. Concatenated messages are one message in protobuf, so the encoded
// fields of one number, concatenated, decode as they would in place.
//
// Messages are pooled: release returns one.
type splitMessage struct {
	// rest is the encoding of all other fields.
	rest   []byte
	fields [8]field
	count  int
}

// field holds all occurrences of one field number.
type field struct {
	number protowire.Number
	// raw is the encoding of all occurrences, tags included; values is the payload of each.
	raw    []byte
	values [][]byte
}

var pool = sync.Pool{New: func() any { return &splitMessage{} }}

func (p *splitMessage) release() { pool.Put(p) }

// split extracts fields, at most eight, from a message. Only length-delimited fields are extracted: a field of those
// numbers with another wire type stays in rest, for its decoder to refuse.
func split(message []byte, numbers ...protowire.Number) (*splitMessage, error) {
	p := pool.Get().(*splitMessage)
	p.count, p.rest = len(numbers), p.rest[:0]
	for i, number := range numbers {
		p.fields[i] = field{number: number, values: p.fields[i].values[:0]}
	}
	for len(message) > 0 {
		next, err := firstOf(message)
		if err != nil {
			return nil, fmt.Errorf("a field of a message: %w", err)
		}
		if field := p.field(next.number); field != nil && next.value != nil {
			field.add(next)
		} else {
			p.rest = append(p.rest, next.raw...)
		}
		message = message[len(next.raw):]
	}
	return p, nil
}

// occurrence is one field as it stands in a message. value is its payload, nil unless it is length-delimited.
type occurrence struct {
	number     protowire.Number
	raw, value []byte
}

// firstOf is the field with which a message begins.
func firstOf(message []byte) (occurrence, error) {
	if len(message) >= 2 {
		// Most fields are length-delimited, and their tag and their length take a byte each.
		tag, length := message[0], message[1]
		if end := 2 + int(length); tag < 0x80 && tag>>3 >= 1 && tag&7 == byte(protowire.BytesType) && length < 0x80 && end <= len(message) {
			return occurrence{protowire.Number(tag >> 3), message[:end], message[2:end]}, nil
		}
	}
	number, wire, tag := protowire.ConsumeTag(message)
	if tag < 0 {
		return occurrence{}, protowire.ParseError(tag)
	}
	length := protowire.ConsumeFieldValue(number, wire, message[tag:])
	if length < 0 {
		return occurrence{}, protowire.ParseError(length)
	}
	found := occurrence{number: number, raw: message[:tag+length]}
	if wire == protowire.BytesType {
		found.value, _ = protowire.ConsumeBytes(message[tag:])
	}
	return found, nil
}

func (f *field) add(o occurrence) {
	f.values = append(f.values, o.value)
	switch end := len(f.raw); {
	case end == 0:
		f.raw = o.raw
	case cap(f.raw) >= end+len(o.raw) && &f.raw[:end+1][end] == &o.raw[0]:
		f.raw = f.raw[:end+len(o.raw)] // Contiguous in the message, as repeated fields are.
	default:
		f.raw = slices.Concat(f.raw, o.raw)
	}
}

// field is nil if the number was not given to split.
func (p *splitMessage) field(number protowire.Number) *field {
	for i := range p.fields[:p.count] {
		if p.fields[i].number == number {
			return &p.fields[i]
		}
	}
	return nil
}

// values are the payloads of a field's occurrences.
func (p *splitMessage) values(number protowire.Number) [][]byte { return p.field(number).values }

// raw is the encoding of a field's occurrences, tags included: a message with nothing but this field.
func (p *splitMessage) raw(number protowire.Number) []byte { return p.field(number).raw }

// last is the payload of a field's last occurrence, which is what counts for a scalar; nil if it is absent.
func (p *splitMessage) last(number protowire.Number) []byte {
	values := p.values(number)
	if len(values) == 0 {
		return nil
	}
	return values[len(values)-1]
}

// merged is the payload of an embedded message, its occurrences merged; nil if it is absent.
func (p *splitMessage) merged(number protowire.Number) []byte {
	values := p.values(number)
	if len(values) == 1 {
		return values[0]
	}
	return slices.Concat(values...)
}

// split splits the message embedded in a field.
func (p *splitMessage) split(number protowire.Number, numbers ...protowire.Number) (*splitMessage, error) {
	return split(p.merged(number), numbers...)
}
