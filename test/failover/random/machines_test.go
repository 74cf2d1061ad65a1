package random

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cloud"
)

const (
	// boot is how long a machine takes from the start to its kernel's network, and stop from the request to its end.
	boot = 12 * time.Second
	stop = 5 * time.Second
	// recordLag is how much later than a change the cloud reports it, at most: less than a boot takes.
	recordLag = 4 * time.Second
)

// machine is a machine of the cluster, and what is really so of it.
type machine struct {
	index                   int
	node, id, zone, address string
	// uid is its Node's. It has the last when the Node is registered again.
	uid   types.UID
	boots int
	// on is whether its kernel runs, since when it does in onSince; standing, whether it stands still meanwhile.
	on       bool
	onSince  time.Time
	standing bool
	// bootsAt is when it is on again, offAt when it is off; zero is never.
	bootsAt, offAt time.Time
	// records are what the cloud has recorded of it, the last one last.
	records []cloudRecord

	// kubelet and containers are whether its kubelet and its container runtime run; renewedAt is when the kubelet last renewed its Lease, late how much later than every
	// 10 s it does, skew what its wall clock is off by.
	kubelet, containers bool
	renewedAt           time.Time
	late, skew          time.Duration
	// registered is whether its Node is there, for it is registered once only.
	registered bool

	// agent is whether its agent runs, hung whether it does nothing though, noDials whether it can reach no other machine. It dials the controller again from
	// connectAt on.
	agent, hung, noDials bool
	connectAt            time.Time
	// lives is how many agents there were on it so far, goodbye whether the last said that it ends.
	lives   int
	goodbye bool
}

// cloudRecord is a state of a machine that the cloud has recorded.
type cloudRecord struct {
	since time.Time
	state cloud.Running
	name  string // as the cloud calls it
}

func (m *machine) bootID() string { return fmt.Sprintf("%s-boot-%d", m.id, m.boots) }

// runs says whether its kernel answers.
func (m *machine) runs() bool { return m.on && !m.standing }

// startAgent starts an agent, which opens its streams after a while.
func (m *machine) startAgent(after time.Duration) {
	m.agent, m.hung, m.goodbye, m.connectAt = true, false, false, time.Now().Add(after)
	m.lives++
}

func (m *machine) recordState(now time.Time, state cloud.Running, name string) {
	m.records = append(m.records, cloudRecord{now, state, name})
}

// recordAt is what the cloud has recorded by a time.
func (m *machine) recordAt(at time.Time) cloudRecord {
	last := m.records[0]
	for _, r := range m.records {
		if !r.since.After(at) {
			last = r
		}
	}
	return last
}

// cut drops what goes from some endpoints to others: the nodes of machines, and api. nil is all.
type cut struct{ from, to []string }

func (c *cut) drops(from, to string) bool {
	return (c.from == nil || slices.Contains(c.from, from)) && (c.to == nil || slices.Contains(c.to, to))
}

// apiEnd is the endpoint of the API server.
const apiEnd = "api"

// carries says whether what one endpoint sends reaches another.
func (n *run) carries(from, to string) bool {
	return from == to || !slices.ContainsFunc(n.cuts, func(c *cut) bool { return c.drops(from, to) })
}

// talk says whether two endpoints reach each other.
func (n *run) talk(a, b string) bool { return n.carries(a, b) && n.carries(b, a) }

// runMachines finishes what machines are at.
func (n *run) runMachines() {
	now := time.Now()
	for _, m := range n.machines {
		if !m.offAt.IsZero() && !now.Before(m.offAt) {
			m.offAt = time.Time{}
			n.powerOff(m)
			if r := m.recordAt(now); r.name == "stopping" {
				m.recordState(now, cloud.Off, "stopped")
				if !m.bootsAt.IsZero() { // No cloud starts one that is stopping.
					m.recordState(now, cloud.Changes, "pending")
				}
			} else if r.name == "shutting-down" {
				m.recordState(now, cloud.Gone, "terminated")
			}
		}
		if !m.bootsAt.IsZero() && !now.Before(m.bootsAt) && !m.on {
			m.bootsAt = time.Time{}
			m.on, m.onSince = true, now
			m.boots++
			m.startAgent(6 * time.Second)
			m.kubelet, m.containers, m.renewedAt = true, true, now.Add(-7*time.Second)
			m.recordState(now, cloud.On, "running")
		}
	}
}

// powerOff ends a machine at once: its network sends nothing any more.
func (n *run) powerOff(m *machine) {
	m.on, m.standing, m.agent, m.kubelet = false, false, false, false
	for _, p := range n.processes {
		if p.host == m {
			p.kill()
		}
	}
}

// start has a machine that is off boot.
func (n *run) start(m *machine) {
	now := time.Now()
	if m.offAt.IsZero() && m.on || m.recordAt(now).state == cloud.Gone || m.recordAt(now).name == "shutting-down" {
		return
	}
	m.recordState(now, cloud.Changes, "pending")
	m.bootsAt = now.Add(boot)
	if !m.offAt.IsZero() {
		m.bootsAt = m.offAt.Add(boot)
		m.recordState(now, cloud.Changes, "stopping")
	}
}

// stopInCloud has the cloud stop a machine, or end it for good.
func (n *run) stopInCloud(m *machine, forGood bool) {
	now := time.Now()
	if m.recordAt(now).state == cloud.Gone {
		return
	}
	name := "stopping"
	if forGood {
		name = "shutting-down"
	}
	m.recordState(now, cloud.Changes, name)
	m.offAt, m.bootsAt = now.Add(stop), time.Time{}
}
