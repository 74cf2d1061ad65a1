package intake

import (
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// pieces is a message taken apart. In protobuf, messages one after the other are one message, and a field that stands
// there twice is one whose parts do: so the fields of one number, put together, decode as they would have in their place.
//
// Pieces are used again: done gives them back.
type pieces struct {
	// rest are the fields that were not asked for.
	rest   []byte
	fields [8]piece
	count  int
}

// piece are the fields of one number.
type piece struct {
	number protowire.Number
	// whole are the fields as they stand in the message, and values the contents of each.
	whole  []byte
	values [][]byte
}

var pool = sync.Pool{New: func() any { return &pieces{} }}

func (p *pieces) done() { pool.Put(p) }

// cut takes fields out of a message; there may be eight at most. Only what is written as a length and bytes is taken: a
// field of those numbers written otherwise is left to its decoder, to be refused.
func cut(message []byte, numbers ...protowire.Number) (*pieces, error) {
	p := pool.Get().(*pieces)
	p.count, p.rest = len(numbers), p.rest[:0]
	for i, number := range numbers {
		p.fields[i] = piece{number: number, values: p.fields[i].values[:0]}
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
		whole := message[at : at+tag+length]
		if field := p.field(number); field != nil && wire == protowire.BytesType {
			field.add(whole, tag)
		} else {
			p.rest = append(p.rest, whole...)
		}
		at += tag + length
	}
	return p, nil
}

func (f *piece) add(whole []byte, tag int) {
	value, _ := protowire.ConsumeBytes(whole[tag:])
	f.values = append(f.values, value)
	switch end := len(f.whole); {
	case end == 0:
		f.whole = whole
	case cap(f.whole) >= end+len(whole) && &f.whole[:end+1][end] == &whole[0]:
		f.whole = f.whole[:end+len(whole)] // It follows in the message, as repeated fields do.
	default:
		f.whole = slices.Concat(f.whole, whole)
	}
}

// field is nil if the number was not asked for.
func (p *pieces) field(number protowire.Number) *piece {
	for i := range p.fields[:p.count] {
		if p.fields[i].number == number {
			return &p.fields[i]
		}
	}
	return nil
}

// values are the contents of a field's occurrences.
func (p *pieces) values(number protowire.Number) [][]byte { return p.field(number).values }

// whole are a field's occurrences, to be decoded by the message they stand in.
func (p *pieces) whole(number protowire.Number) []byte { return p.field(number).whole }

// last is the contents of a string, nil if it is not there.
func (p *pieces) last(number protowire.Number) []byte {
	values := p.values(number)
	if len(values) == 0 {
		return nil
	}
	return values[len(values)-1]
}

// joined is the contents of a message, nil if it is not there.
func (p *pieces) joined(number protowire.Number) []byte {
	values := p.values(number)
	if len(values) == 1 {
		return values[0]
	}
	return slices.Concat(values...)
}

// inside takes the message in a field apart.
func (p *pieces) inside(number protowire.Number, numbers ...protowire.Number) (*pieces, error) {
	return cut(p.joined(number), numbers...)
}
