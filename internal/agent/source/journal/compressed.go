package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxText is the maximum size of a decompressed value in bytes. journald compresses values from 512 bytes on; a line of a service may have 48 KiB.
const maxText = 256 << 10

var (
	errTooLong = errors.New("a compressed value of the journal is too large")
	errXZ      = errors.New("the journal is compressed with xz, which is not supported (systemd has not used it by default since 2014)")
)

// decompress decompresses a value; kind is the compression flag of its object.
func decompress(kind byte, packed []byte) ([]byte, error) {
	switch kind {
	case 4:
		return unzstd(packed)
	case 2:
		return unlz4(packed)
	}
	return nil, errXZ
}

// The decoder is created when it is first needed, because it uses memory and many hosts have only short lines.
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
		return nil, fmt.Errorf("decompress a value of the journal: %w", err)
	}
	return text, nil
}

// unlz4 decompresses one LZ4 block, which journald precedes with its decompressed length
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
			out = append(out, out[len(out)-back]) // The ranges may overlap.
		}
	}
	if uint64(len(out)) != length {
		return nil, errDamaged
	}
	return out, nil
}

// lz4Length reads the rest of a length, of which n is the part in the token (15 if it continues).
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
