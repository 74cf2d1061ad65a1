package systemd

import (
	"bufio"
	"encoding/binary"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// A bus that goes away in the middle of a message is an error like any other. The message breaks off between the header's last field and the padding behind it.
func TestMessageBreaksOff(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "bus")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	served := make(chan error, 1)
	go func() { served <- answerHalf(listener) }()
	if conn, err := connect(t.Context(), socket); err == nil {
		t.Errorf("connected: %v", conn.Close())
	}
	if err := <-served; err != nil {
		t.Errorf("the bus: %v", err)
	}
}

// answerHalf authenticates a client, and breaks off the answer to its first call.
//
// Source: https://dbus.freedesktop.org/doc/dbus-specification.html#auth-protocol and #message-protocol-messages.
func answerHalf(listener net.Listener) error {
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	from := bufio.NewReader(conn)
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return err
		}
		switch command := strings.TrimLeft(strings.TrimSpace(line), "\x00"); {
		case command == "BEGIN":
			if _, err := from.Peek(16); err != nil { // The call begins.
				return err
			}
			_, err := conn.Write(halfReply())
			return err
		case strings.HasPrefix(command, "AUTH EXTERNAL"):
			_, err = conn.Write([]byte("OK 0123456789abcdef0123456789abcdef\r\n"))
		case command == "NEGOTIATE_UNIX_FD":
			_, err = conn.Write([]byte("AGREE_UNIX_FD\r\n"))
		default:
			_, err = conn.Write([]byte("REJECTED EXTERNAL\r\n"))
		}
		if err != nil {
			return err
		}
	}
}

// halfReply is a method's return up to the padding behind its one header field, the serial of the call.
func halfReply() []byte {
	const replySerial = 5
	field := append([]byte{replySerial, 1, 'u', 0}, binary.LittleEndian.AppendUint32(nil, 1)...)
	field = append(field, 1, 1, 'o', 0) // The next field's beginning makes the length no multiple of eight.
	field = append(field, binary.LittleEndian.AppendUint32(nil, 1)...)
	field = append(field, '/', 0)
	m := []byte{'l', 2, 0, 1}
	m = binary.LittleEndian.AppendUint32(m, 0) // no body
	m = binary.LittleEndian.AppendUint32(m, 1)
	m = binary.LittleEndian.AppendUint32(m, uint32(len(field)))
	return append(m, field...)
}
