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
	for at := 0; at < len(message); {
		number, wire, tag := protowire.ConsumeTag(message[at:])
		if tag < 0 {
			return nil, fmt.Errorf("a field of a message: %w", protowire.ParseError(tag))
		}
		length := protowire.ConsumeFieldValue(number, wire, message[at+tag:])
		if length < 0 {
			return nil, fmt.Errorf("a field of a message: %w", protowire.ParseError(length))
		}
		occurrence := message[at : at+tag+length]
		if field := p.field(number); field != nil && wire == protowire.BytesType {
			field.add(occurrence, tag)
		} else {
			p.rest = append(p.rest, occurrence...)
		}
		at += tag + length
	}
	return p, nil
}

// add appends an occurrence, whose tag is so many bytes long.
func (f *field) add(occurrence []byte, tag int) {
	value, _ := protowire.ConsumeBytes(occurrence[tag:])
	f.values = append(f.values, value)
	switch end := len(f.raw); {
	case end == 0:
		f.raw = occurrence
	case cap(f.raw) >= end+len(occurrence) && &f.raw[:end+1][end] == &occurrence[0]:
		f.raw = f.raw[:end+len(occurrence)] // Contiguous in the message, as repeated fields are.
	default:
		f.raw = slices.Concat(f.raw, occurrence)
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
