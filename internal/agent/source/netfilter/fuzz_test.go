package netfilter

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// attr is a netlink attribute.
func attr(kind uint16, value ...byte) []byte {
	a := binary.NativeEndian.AppendUint16(nil, uint16(unix.SizeofNlAttr+len(value)))
	a = append(binary.NativeEndian.AppendUint16(a, kind), value...)
	for len(a)%unix.NLA_ALIGNTO != 0 {
		a = append(a, 0)
	}
	return a
}

func FuzzParseRule(f *testing.F) {
	reject := attr(unix.NFTA_LIST_ELEM|unix.NLA_F_NESTED, attr(unix.NFTA_EXPR_NAME, []byte("reject\x00")...)...)
	message := append([]byte{unix.NFPROTO_INET, 0, 0, 0}, attr(unix.NFTA_RULE_TABLE, []byte("guard\x00")...)...)
	message = append(message, attr(unix.NFTA_RULE_EXPRESSIONS|unix.NLA_F_NESTED, reject...)...)
	var read []Rule
	if err := parseRule(message, Terminal, nil, func(r Rule) { read = append(read, r) }); err != nil || len(read) != 1 || !read[0].Drops || read[0].Table != "guard" || read[0].Family != "inet" {
		f.Fatalf("reads %+v %v", read, err)
	}
	f.Add(message, message)
	f.Fuzz(func(_ *testing.T, message, elements []byte) {
		sets := func(_ uint8, _ string, _ []byte, each func(element)) error {
			var b bounds
			eachElement(elements, func(e element, ends bool) {
				each(e)
				b = append(b, bound{key: e.first, verdict: e.verdict, ends: ends})
			})
			b.intervals(each)
			return nil
		}
		_ = parseRule(message, All, sets, func(r Rule) { _ = r.String() })
		_, _ = parsePolicy(message)
	})
}

func FuzzParseLegacy(f *testing.F) {
	for i, l := range legacies {
		const info = 4
		entry := make([]byte, l.header+targetHeader+info)
		binary.NativeEndian.PutUint16(entry[l.offsets:], uint16(l.header))
		binary.NativeEndian.PutUint16(entry[l.offsets+2:], uint16(len(entry)))
		binary.NativeEndian.PutUint32(entry[l.header+targetHeader:], 1<<32-1) // -NF_DROP - 1
		seen := 0
		if err := l.parse("filter", map[int]place{0: {chain: "INPUT"}}, entry, Terminal, func(r Rule) {
			seen++
			if !r.Drops || r.Chain != "INPUT" {
				f.Errorf("reads %+v", r)
			}
		}); err != nil || seen != 1 {
			f.Fatalf("%s: %d rules, %v", l.family, seen, err)
		}
		f.Add(entry, i == 0)
	}
	f.Fuzz(func(_ *testing.T, entries []byte, four bool) {
		l := legacies[1]
		if four {
			l = legacies[0]
		}
		_ = l.parse("filter", nil, entries, All, func(r Rule) { _ = r.String() })
	})
}
