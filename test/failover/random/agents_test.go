package random

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/controller/heartbeat"
	agent "github.com/naosu-dev/naosu/internal/heartbeat"
)

// beatEvery is the time between two heartbeats.
const beatEvery = time.Second

// stream is an agent's to a process.
type stream struct {
	heartbeat.Stream
	machine *machine
	// of is the life of the agent that opened it.
	of int
}

// received is what a process was told of a node.
type received struct {
	// signs are the times of its signs of life, beats those of its agent, reached and unreached what witnesses have answered.
	signs, beats       []time.Time
	reached, unreached []answer
	// silences are the times without heartbeats that have ended, if they took longer than longSilence.
	silences []silence
}

// silence is from the last sign of life to the next.
type silence struct{ from, to time.Time }

// longSilence is longer than any policy's silentAfterSeconds.
const longSilence = 12 * time.Second

// answer is a witness's.
type answer struct {
	witness         types.UID
	began, answered time.Time
}

func (p *process) of(node types.UID) *received {
	if p.received[node] == nil {
		p.received[node] = &received{}
	}
	return p.received[node]
}

func (p *process) noteSign(node types.UID) { p.of(node).signs = append(p.of(node).signs, time.Now()) }

func (p *process) noteBeat(node types.UID) {
	p.of(node).beats = append(p.of(node).beats, time.Now())
	p.noteSign(node)
}

// noteReturn notes that something is received of an agent, after a silence or not.
func (p *process) noteReturn(s *stream) {
	if now := time.Now(); now.Sub(s.LastBeat) > longSilence {
		p.of(s.UID).silences = append(p.of(s.UID).silences, silence{s.LastBeat, now})
	}
}

// lastSign is the last sign of life of a node that the process had received by a time; zero if there was none.
func (r *received) lastSign(by time.Time) time.Time { return lastBy(r.signs, by) }

func lastBy(times []time.Time, by time.Time) time.Time {
	for _, at := range slices.Backward(times) {
		if !at.After(by) {
			return at
		}
	}
	return time.Time{}
}

// runAgents has agents open streams, send heartbeats, and end.
func (n *run) runAgents() {
	for _, p := range n.processes {
		for _, m := range n.machines {
			p.hear(m)
		}
	}
}

// hear is what the process receives of a machine's agent now.
func (p *process) hear(m *machine) {
	now, n := time.Now(), p.n
	if m.uid == "" || p.stands() || !m.runs() || !n.carries(m.node, p.host.node) {
		return
	}
	s := p.streams[m.uid]
	open := s != nil && s.Ended == "" && s.of == m.lives
	switch {
	case s != nil && s.Ended == "" && s.of != m.lives, open && !m.agent:
		p.noteReturn(s)
		s.Ended = heartbeat.Closed
		if m.goodbye {
			s.Ended = heartbeat.Goodbye
		}
	case !m.agent || m.hung:
	case open && now.Sub(s.LastBeat) >= beatEvery:
		p.noteReturn(s)
		s.LastBeat = now
		p.noteBeat(m.uid)
	case !open && m.registered && !n.apiDown && !now.Before(m.connectAt) && n.talk(m.node, p.host.node):
		p.streams[m.uid] = &stream{heartbeat.Stream{Node: m.node, UID: m.uid, BootID: m.bootID(), Opened: now, LastBeat: now}, m, m.lives}
		p.noteBeat(m.uid)
	}
}

// Streams is failover.Streams'.
func (p *process) Streams() []heartbeat.Stream {
	p.n.lock.Lock()
	defer p.n.lock.Unlock()
	var all []heartbeat.Stream
	for _, uid := range slices.Sorted(maps.Keys(p.streams)) {
		s := p.streams[uid].Stream
		s.Opened, s.LastBeat = p.n.seen(s.Opened), p.n.seen(s.LastBeat)
		all = append(all, s)
	}
	return all
}

// Forget is failover.Streams'.
func (p *process) Forget(exists func(types.UID) bool) {
	p.n.lock.Lock()
	defer p.n.lock.Unlock()
	maps.DeleteFunc(p.streams, func(uid types.UID, s *stream) bool { return s.Ended != "" && !exists(uid) })
}

var errNotTried = errors.New("the witness has not answered")

// Probe is failover.Streams': the witness dials the address, if it is asked and can.
func (p *process) Probe(ctx context.Context, witness types.UID, address string) (heartbeat.Probed, error) {
	n := p.n
	began := time.Now()
	n.lock.Lock()
	s := p.streams[witness]
	if s == nil || s.Ended != "" {
		n.lock.Unlock()
		return "", heartbeat.ErrNoStream
	}
	by, way := s.machine, 3*time.Millisecond
	if time.Now().Before(n.probesSlowUntil) {
		way = 700 * time.Millisecond
	}
	n.lock.Unlock()
	if err := sleep(ctx, way); err != nil {
		return "", err
	}
	n.lock.Lock()
	target := n.machineAt(strings.TrimSuffix(address, ":10250"))
	tries := by.runs() && by.agent && !by.hung && n.talk(p.host.node, by.node)
	reached, cannot := target != nil && target.runs() && n.talk(by.node, target.node), by.noDials
	n.lock.Unlock()
	switch {
	case !tries:
		<-ctx.Done()
		return "", errNotTried
	case cannot:
		return "", errNotTried
	}
	wait := way
	if !reached {
		wait += agent.ProbeTimeout
	}
	if err := sleep(ctx, wait); err != nil {
		return "", err
	}
	return p.report(target, reached, by, began)
}

func (p *process) report(target *machine, reached bool, by *machine, began time.Time) (heartbeat.Probed, error) {
	n := p.n
	n.lock.Lock()
	defer n.lock.Unlock()
	if p.dead || p.stands() || !by.runs() || !n.carries(by.node, p.host.node) {
		return "", errNotTried
	}
	one := answer{by.uid, began, time.Now()}
	switch {
	case target == nil:
	case reached:
		p.of(target.uid).reached = append(p.of(target.uid).reached, one)
	default:
		p.of(target.uid).unreached = append(p.of(target.uid).unreached, one)
	}
	if reached {
		return heartbeat.Reached, nil
	}
	return heartbeat.Unreached, nil
}

// provider is the cloud, as a process reaches it.
type provider struct {
	n *run
	p *process
}

// report is what the cloud has told a process of a machine.
type report struct {
	p          *process
	providerID string
	asked      time.Time
	state      cloud.Running
	// on is whether the machine really ran, boots how often it had booted.
	on    bool
	boots int
}

func (*provider) Name() string { return "cloud" }

func (*provider) Owns(cloud.Machine) bool { return true }

var errDenied = errors.New("not authorized to perform ec2:DescribeInstances")

// States is cloud.Power's.
func (c *provider) States(ctx context.Context, all ...cloud.Machine) ([]cloud.State, error) {
	n := c.n
	n.lock.Lock()
	asked, way := time.Now(), 40*time.Millisecond
	if time.Now().Before(n.cloudSlowUntil) {
		way = 4 * time.Second
	}
	n.lock.Unlock()
	if err := c.p.pass(ctx, way); err != nil {
		return nil, err
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	now := time.Now()
	switch {
	case now.Before(n.cloudFailsUntil):
		return nil, fmt.Errorf("describe: %w", cloud.ErrPassing)
	case now.Before(n.cloudForbidsUntil):
		return nil, errDenied
	}
	var states []cloud.State
	for _, one := range all {
		state := cloud.State{Running: cloud.NotFound, Message: "no such instance"}
		m := n.machineByProvider(one.ProviderID)
		if m != nil && !now.Before(n.cloudUnknownUntil) {
			r := m.recordAt(now.Add(-time.Duration(m.index%3) * recordLag / 3))
			state = cloud.State{Running: r.state, Message: m.id + " is " + r.name}
			n.reports = append(n.reports, report{c.p, one.ProviderID, asked, r.state, m.on, m.boots})
		}
		states = append(states, state)
	}
	return states, nil
}

// Reboot is cloud.Power's: failover never does.
func (*provider) Reboot(context.Context, cloud.Machine) (cloud.Operation, error) {
	panic("failover reboots a machine")
}
