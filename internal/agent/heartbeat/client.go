// Package heartbeat holds the agent's heartbeat streams (internal/heartbeat defines them): one to each replica of the controller. It says each
// second that this machine lives, and answers, as a witness, whether it reaches another one.
package heartbeat

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

const (
	// resolveInterval is the time between two resolutions of a host; up to as much again, at random, is added.
	resolveInterval = 20 * time.Second
	// resolveTimeout is how long one resolution may take.
	resolveTimeout = 5 * time.Second
	// maxAddresses bounds the addresses of one host: a controller has few replicas.
	maxAddresses = 16

	// firstRetry and longestRetry bound the wait after a stream could not be opened.
	firstRetry   = time.Second
	longestRetry = time.Minute
	// reopenWithin is the time over which the agents of all nodes spread their new streams after a replica ended.
	reopenWithin = 10 * time.Second
	// stableAfter is how long a stream lasts that was opened well. The end of a shorter one counts as a failure.
	stableAfter = 30 * time.Second
)

// Options are what a Client connects to, and how.
type Options struct {
	// Addresses are HOST:PORT. There is one stream to each address that each host has.
	Addresses []string
	// TokenFile has the token that says what node this is, CAFile the certificates (PEM) that the controller's is signed by. They are read for
	// each stream.
	TokenFile, CAFile string
	// BootID is that of the machine.
	BootID string
	Log    *slog.Logger

	// Resolve returns the addresses of a host; by default, those of the system's resolver.
	Resolve func(ctx context.Context, host string) ([]string, error)
	// Dial connects to an address, IP:port; by default, with TCP.
	Dial func(ctx context.Context, address string) (net.Conn, error)
}

// Client holds streams. It is safe for concurrent use.
type Client struct {
	options Options
	open    atomic.Int64
	probing chan struct{} // Has a value for each probe that runs.

	mu      sync.Mutex
	wanted  map[string][]string // The resolved addresses, IP:port, by what they were resolved from.
	held    map[string]bool     // The addresses that a goroutine holds a stream to, or tries to.
	running sync.WaitGroup
}

// New returns a Client without streams.
func New(o Options) *Client {
	if o.Resolve == nil {
		o.Resolve = net.DefaultResolver.LookupHost
	}
	if o.Dial == nil {
		o.Dial = func(ctx context.Context, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		}
	}
	return &Client{options: o, probing: make(chan struct{}, maxProbes), wanted: map[string][]string{}, held: map[string]bool{}}
}

// Streams is the number of open streams.
func (c *Client) Streams() int { return int(c.open.Load()) }

// Run holds the streams until ctx ends, and then says goodbye on each, for a second at most.
func (c *Client) Run(ctx context.Context) {
	for _, address := range c.options.Addresses {
		c.running.Go(func() { c.follow(ctx, address) })
	}
	c.running.Wait()
}

// follow resolves HOST:PORT again and again, and starts a stream to each new address.
func (c *Client) follow(ctx context.Context, address string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		c.options.Log.Error("The controller's address for heartbeats is invalid", "address", address, "err", err)
		return
	}
	failing := false
	for {
		addresses, err := c.resolve(ctx, host, port)
		if ctx.Err() != nil {
			return
		}
		if failed := err != nil; failed != failing {
			failing = failed
			c.logResolution(host, err)
		}
		if err == nil {
			c.want(ctx, address, addresses)
		}
		if !wait(ctx, resolveInterval+rand.N(resolveInterval)) {
			return
		}
	}
}

func (c *Client) logResolution(host string, err error) {
	if err != nil {
		c.options.Log.Warn("The controller's addresses are not resolved; known ones stay in use", "host", host, "err", err)
		return
	}
	c.options.Log.Info("The controller's addresses are resolved again", "host", host)
}

func (c *Client) resolve(ctx context.Context, host, port string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	found, err := c.options.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("it has no addresses")
	}
	found = slices.Compact(slices.Sorted(slices.Values(found)))
	var addresses []string
	for _, ip := range found[:min(len(found), maxAddresses)] {
		addresses = append(addresses, net.JoinHostPort(ip, port))
	}
	return addresses, nil
}

// want replaces the addresses that a host has, and starts a stream to each new one. A stream to a former address stays while it is open.
func (c *Client) want(ctx context.Context, from string, addresses []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted[from] = addresses
	for _, address := range addresses {
		if !c.held[address] {
			c.held[address] = true
			c.running.Go(func() { c.hold(ctx, address) })
		}
	}
}

// dropped says whether no host has an address any more. The address is then not held any more, either.
func (c *Client) dropped(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, addresses := range c.wanted {
		if slices.Contains(addresses, address) {
			return false
		}
	}
	delete(c.held, address)
	return true
}

// hold opens a stream to an address, and another one whenever it ends, until ctx ends or the address is dropped.
func (c *Client) hold(ctx context.Context, address string) {
	log := c.options.Log.With("address", address)
	backoff := kube.Backoff{First: firstRetry, Longest: longestRetry, Random: rand.Float64}
	logged := "" // Why the last failure was; each reason is logged once.
	for !c.dropped(address) {
		opened := time.Time{}
		err := c.stream(ctx, address, func() {
			opened, logged = time.Now(), ""
			log.Info("Heartbeat stream opened")
		})
		if ctx.Err() != nil {
			return
		}
		if reason := reasonOf(err); logged != reason {
			logged = reason
			log.Warn("There is no heartbeat stream; retrying", "err", err)
		}
		pause := rand.N(reopenWithin)
		if opened.IsZero() || time.Since(opened) < stableAfter {
			backoff.Failed(time.Now(), nil)
			pause = time.Until(backoff.Until)
		} else {
			backoff.Succeeded()
		}
		if !wait(ctx, pause) {
			return
		}
	}
}

// wait returns false if ctx ended before a time had passed.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
