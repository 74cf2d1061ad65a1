package cloud

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/pace"
)

// Options say which cloud to build.
type Options struct {
	Spec Spec
	// Pace is how much faster than reality the cloud is; nil is real time.
	Pace *pace.Pace
	// Clock is the clock; nil is real time.
	Clock clock.WithTicker
	// StatePath is the file that keeps the cloud over a restart; empty keeps nothing. What it holds wins over Spec.
	StatePath string
	// InstantStart has the Spec's instances running from the first moment, as those of a cluster that is already there.
	InstantStart bool
	// Existing is what the region holds already; a group launches only what it lacks beside it.
	Existing Existing
}

// Existing are machines and volumes that exist before the cloud is built.
type Existing struct {
	// Instances have their state, zone, capacity, names and addresses; IDs and node names tell them apart.
	Instances []Instance
	Volumes   []Volume
}

// Cloud is a running region. Its methods may be called from anywhere; what they return are copies.
type Cloud struct {
	pace      *pace.Pace
	clock     clock.WithTicker
	statePath string

	mu    sync.Mutex
	state state
	// holders are the interfaces that hold addresses. It follows from state.
	holders     map[netip.Addr]string
	subscribers map[chan struct{}]struct{}
	// history is what was held after each change of the last time that is remembered, and before it; the oldest first.
	history       []View
	historyLength time.Duration
}

// New builds the cloud, or takes up the one that the state file holds, and launches what its groups lack. Nothing boots
// or ends before Run is called.
func New(o Options) (*Cloud, error) {
	c := &Cloud{pace: o.Pace, clock: o.Clock, statePath: o.StatePath, subscribers: map[chan struct{}]struct{}{}}
	if c.clock == nil {
		c.clock = clock.RealClock{}
	}
	kept, found, err := load(o.StatePath)
	if err != nil {
		return nil, err
	}
	if found {
		c.state = kept
		c.indexNetwork()
		return c, nil
	}
	if err := o.Spec.Validate(nil).ToAggregate(); err != nil {
		return nil, fmt.Errorf("building the cloud: %w", err)
	}
	c.state.Region = o.Spec.withDefaults()
	c.state.Region.Groups = nil
	c.indexNetwork()
	return c, c.update(func() error {
		for _, spec := range c.state.Region.NetworkInterfaces {
			if err := c.addInterface(spec); err != nil {
				return err
			}
		}
		for _, g := range o.Spec.Groups {
			c.state.Groups = append(c.state.Groups, c.newGroup(g.withDefaults(c.state.Region)))
		}
		for _, i := range o.Existing.Instances {
			i.Capacity, i.LaunchVersion = i.Capacity.withDefaults(), 1
			c.state.Instances = append(c.state.Instances, &instance{Instance: i, BootDelay: defaultBootDelay})
			c.adopt(c.state.Instances[len(c.state.Instances)-1])
		}
		for _, v := range o.Existing.Volumes {
			c.state.Volumes = append(c.state.Volumes, &v)
		}
		for _, g := range c.state.Groups {
			c.fill(g) // what a group has suspended was not always so
		}
		c.settle()
		if o.InstantStart {
			c.finishBoots()
		}
		return nil
	})
}

// Region is the region's name.
func (c *Cloud) Region() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Region.Region
}

// Zones are the region's zones, in the order the Spec gives them.
func (c *Cloud) Zones() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.state.Region.Zones...)
}

// Run lets time pass: instances boot, stop and end, and groups follow. It returns when ctx ends, or with an error when
// the state can no longer be kept.
func (c *Cloud) Run(ctx context.Context) error {
	changed := c.Subscribe(ctx)
	for {
		if err := c.advance(); err != nil {
			return err
		}
		if !c.sleep(ctx, changed) {
			return nil
		}
	}
}

// sleep waits for the next thing that is due, or for a change that may bring something earlier.
func (c *Cloud) sleep(ctx context.Context, changed <-chan struct{}) bool {
	var due <-chan time.Time
	if at, some := c.nextDue(); some {
		timer := c.clock.NewTimer(at.Sub(c.clock.Now()))
		defer timer.Stop()
		due = timer.C()
	}
	select {
	case <-ctx.Done():
		return false
	case <-changed:
	case <-due:
	}
	return true
}

// Subscribe returns a channel that is signalled after changes, several of which may share one signal: a reader reads
// again all it needs. The subscription ends with ctx.
func (c *Cloud) Subscribe(ctx context.Context) <-chan struct{} {
	signal := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers[signal] = struct{}{}
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.subscribers, signal)
	})
	return signal
}

// update makes one change: what was asked, what the groups do about it, the state kept, the subscribers signalled. A change that
// is refused must have changed nothing.
func (c *Cloud) update(change func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := change(); err != nil {
		return err
	}
	c.settle()
	return c.commit()
}

func (c *Cloud) commit() error {
	c.note()
	for signal := range c.subscribers {
		select {
		case signal <- struct{}{}:
		default: // one is waiting already
		}
	}
	return c.state.save(c.statePath)
}

// after is the moment at which a scenario's duration will have passed.
func (c *Cloud) after(scenario time.Duration) time.Time {
	return c.clock.Now().Add(c.pace.Real(scenario))
}
