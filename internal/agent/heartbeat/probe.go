package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

const (
	// maxProbes bounds the probes at the same time, those for all replicas of the controller together.
	maxProbes = 8
	// probeDelay is how much later than its time-out a probe may end. If it is later, this machine was too busy, or paused, to notice an answer.
	probeDelay = 500 * time.Millisecond
)

// busy answers a probe that is one too many.
func busy(context.Context, string) (heartbeat.Result, string) {
	return heartbeat.Failed, fmt.Sprintf("%d other probes are running", maxProbes)
}

// probe opens a TCP connection to an address, closes it, and returns whether the machine answered.
func (c *Client) probe(ctx context.Context, address string) (heartbeat.Result, string) {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return heartbeat.Failed, err.Error()
	case at.Port() != heartbeat.ProbePort: // A controller must not be able to scan ports from all nodes.
		return heartbeat.Failed, fmt.Sprintf("the port is not %d", heartbeat.ProbePort)
	case at.Addr().IsUnspecified() || at.Addr().IsMulticast(): // The former is this machine.
		return heartbeat.Failed, "the address is not that of a machine"
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, heartbeat.ProbeTimeout)
	defer cancel()
	connection, err := c.options.Dial(ctx, at.String())
	if err == nil {
		_ = connection.Close()
		return heartbeat.Reached, ""
	}
	result := judge(err)
	if took := time.Since(began); result == heartbeat.Unreached && took > heartbeat.ProbeTimeout+probeDelay {
		return heartbeat.Failed, fmt.Sprintf("it took %s, so this machine was busy", took)
	}
	return result, err.Error()
}

// judge returns what a failed connection says of the other machine.
func judge(err error) heartbeat.Result {
	is := func(numbers ...syscall.Errno) bool {
		for _, n := range numbers {
			if errors.Is(err, n) {
				return true
			}
		}
		return false
	}
	var timeout net.Error
	switch {
	case is(syscall.ECONNREFUSED, syscall.ECONNRESET): // Its kernel sent a RST.
		return heartbeat.Reached
	case is(syscall.EAGAIN): // This machine lacks something, although Go takes it as a time-out.
		return heartbeat.Failed
	case is(syscall.EHOSTUNREACH, syscall.EHOSTDOWN, syscall.ETIMEDOUT):
		return heartbeat.Unreached
	case errors.As(err, &timeout) && timeout.Timeout():
		return heartbeat.Unreached
	}
	// ENETUNREACH: this machine has no route. EMFILE, EADDRNOTAVAIL, EPERM and others: it could not even try.
	return heartbeat.Failed
}
