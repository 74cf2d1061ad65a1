package agenttest

import (
	"crypto/rand"
	"net"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Own is a name that no other test of the machine uses, beginning with what it is of: seven letters more. A process is known to
// the kernel by 15 bytes.
func Own(kind string) string { return kind + strings.ToLower(rand.Text()[:7]) }

// Port is an address of the loopback at which nobody listens, and nobody will but the test: the port is bound until the test ends.
func Port(t testing.TB) (address string) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(socket) })
	// With this, as with Go's listeners, the test may listen at what is bound, though the kernel gives it to nobody else.
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := unix.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	at := bound.(*unix.SockaddrInet4)
	return (&net.TCPAddr{IP: at.Addr[:], Port: at.Port}).String()
}
