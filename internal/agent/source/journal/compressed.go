package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxText is the longest value that is unpacked: journald packs those from 512 bytes on, a service's line may have 48 KiB.
const maxText = 256 << 10

var (
	errTooLong = errors.New("a value of the journal is too long to be unpacked")
	errXZ      = errors.New("the journal packs with xz, which systemd has not done by default since 2014")
)

// decompress unpacks a value; kind is the object's flag.
func decompress(kind byte, packed []byte) ([]byte, error) {
	switch kind {
	case 4:
		return unzstd(packed)
	case 2:
		return unlz4(packed)
	}
	return nil, errXZ
}

// The decoder takes memory, which a host whose services write short lines never needs.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxText))
})

func unzstd(packed []byte) ([]byte, error) {
	decoder, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack a value of the journal: %w", err)
	}
	return text, nil
}

// unlz4 unpacks the length, which journald puts first, and one LZ4 block
// (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md).
func unlz4(packed []byte) ([]byte, error) {
	if len(packed) < 8 {
		return nil, errDamaged
	}
	length := binary.LittleEndian.Uint64(packed)
	if length > maxText {
		return nil, errTooLong
	}
	out, in := make([]byte, 0, length), packed[8:]
	for len(in) > 0 {
		token := in[0]
		var literals, match int
		var ok bool
		if literals, in, ok = lz4Length(int(token>>4), in[1:]); !ok || literals > len(in) {
			return nil, errDamaged
		}
		out, in = append(out, in[:literals]...), in[literals:]
		if uint64(len(out)) > length {
			return nil, errDamaged
		}
		if len(in) == 0 {
			break
		}
		if len(in) < 2 {
			return nil, errDamaged
		}
		back := int(binary.LittleEndian.Uint16(in))
		if match, in, ok = lz4Length(int(token&15), in[2:]); !ok || back == 0 || back > len(out) || uint64(len(out)+match+4) > length {
			return nil, errDamaged
		}
		for range match + 4 {
			out = append(out, out[len(out)-back]) // What is repeated may be what was just written.
		}
	}
	if uint64(len(out)) != length {
		return nil, errDamaged
	}
	return out, nil
}

// lz4Length is a length of which the token has the first 15.
func lz4Length(n int, in []byte) (length int, rest []byte, ok bool) {
	if n < 15 {
		return n, in, true
	}
	for len(in) > 0 {
		more := in[0]
		n, in = n+int(more), in[1:]
		if more < 255 {
			return n, in, n <= maxText
		}
	}
	return 0, nil, false
}
