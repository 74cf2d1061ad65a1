package inprocess

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// TestPortStaysTaken closes the listener, as a stopped API server does: another plane cannot have the port, this one can.
func TestPortStaysTaken(t *testing.T) {
	l, claim, err := takeAny(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := take(t.Context(), "", port); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("another plane takes port %d: got %v, want that it is in use", port, err)
	}
	if l, err = listenAt(t.Context(), "", port); err != nil {
		t.Fatalf("its plane listens at port %d again: %v", port, err)
	}
	if err := errors.Join(l.Close(), claim.Close()); err != nil {
		t.Error(err)
	}
}
