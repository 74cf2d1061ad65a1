package play

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/program"
)

// ErrNotJudged is returned when something failed that has no verdict of its own, such as the building of the cluster or the
// way to a point, and the machine was too slow to tell whether it would have otherwise.
var ErrNotJudged = errors.New("the machine was too slow to judge that; play it again when less else is running")

// Options say how a pass is played.
type Options struct {
	// Build starts the cluster.
	Build Builder
	// Pace is the time scale; nil is real time.
	Pace *pace.Pace
	// Naosu is the file of the naosu program, for passes that need it.
	Naosu string
	// Observer is called with the progress of the pass; nil is none.
	Observer Observer
}

// Play plays a pass from the building of its cluster to the cluster's end. An error means that it could not be played, and
// is ErrNotJudged if the machine may be why; a pass that was and failed has a Result that is not Met.
func Play(ctx context.Context, pass scenario.Pass, o Options) (Result, error) {
	m, stop := startMeter(ctx)
	defer stop()
	s, err := open(ctx, pass, o, m)
	if err != nil {
		return Result{}, m.judge(ctx, err)
	}
	started := time.Now()
	err = m.judge(ctx, s.player.run(ctx, ""))
	result := s.result()
	result.StartReal, result.PlayReal = started.Sub(m.began), time.Since(started)
	return result, errors.Join(err, s.close(), s.cluster.Stop())
}

// Reach plays a pass up to a point and leaves the cluster running: the caller stops it.
func Reach(ctx context.Context, pass scenario.Pass, until string, o Options) (Cluster, error) {
	if !slices.Contains(pass.Points(), until) {
		return nil, fmt.Errorf("the scenario has no point %q; it has %q", until, pass.Points())
	}
	m, stop := startMeter(ctx)
	defer stop()
	s, err := open(ctx, pass, o, m)
	if err != nil {
		return nil, m.judge(ctx, err)
	}
	err = m.judge(ctx, s.player.run(ctx, until))
	if err == nil && s.player.failure != "" {
		err = fmt.Errorf("the point %q was not reached: %s", until, s.player.failure)
		if s.player.unjudged {
			err = fmt.Errorf("%w; %w", err, ErrNotJudged)
		}
	}
	if err = errors.Join(err, s.close()); err != nil {
		return nil, errors.Join(err, s.cluster.Stop())
	}
	return s.cluster, nil
}

// session is a pass being played on a cluster.
type session struct {
	pass         scenario.Pass
	pace         *pace.Pace
	cluster      Cluster
	world        *world
	client       *objectClient
	player       *player
	names        map[string]string
	clusterEnded chan error

	program    program.Program
	controller *program.Controller

	cancel context.CancelFunc
}

// open builds the start of a pass and makes all ready to play. On an error nothing is left running.
func open(ctx context.Context, pass scenario.Pass, o Options, m meter) (_ *session, err error) {
	if pass.NeedsNaosu() && o.Naosu == "" {
		return nil, fmt.Errorf("the pass %q needs the naosu program: %w", pass.With, ErrNoNaosu)
	}
	timeline := newTimeline(o.Pace, o.Observer)
	timeline.reportActivity("building the cluster")
	o.Pace.Hold()
	cluster, err := o.Build(ctx, SetupOf(pass, o.Pace))
	if err != nil {
		return nil, fmt.Errorf("building the cluster: %w", err)
	}
	watching, cancel := context.WithCancel(ctx)
	s := &session{pass: pass, pace: o.Pace, cluster: cluster, cancel: cancel, clusterEnded: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(), cluster.Stop())
		}
	}()
	if err := s.setProgram(o.Naosu); err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(cluster.Config())
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	if s.client, err = newObjectClient(cluster.Config(), o.Pace); err != nil {
		return nil, err
	}
	if s.world, err = watch(watching, client, cluster, timeline.change); err != nil {
		return nil, err
	}
	go func() { s.clusterEnded <- cluster.Wait(watching) }()
	if s.player, err = newPlayer(pass, s.world, s.world.changed, s.clusterEnded, timeline, m.read, s.perform); err != nil {
		return nil, err
	}
	if err := s.settle(ctx, timeline); err != nil {
		return nil, err
	}
	if err := s.installNaosu(ctx, watching, timeline); err != nil {
		return nil, err
	}
	s.player.start()
	timeline.add(Event{Sort: Point, Object: scenario.Start, Message: "everything is built and running"})
	return s, nil
}

// close ends naosu's controller and the watches, and leaves the cluster running.
func (s *session) close() error {
	err := s.endNaosu()
	s.cancel()
	if s.world != nil {
		s.world.stop()
	}
	return err
}

func (s *session) result() Result {
	r := Result{
		With: s.pass.With, Title: s.pass.Title, Nodes: s.names, Claims: s.world.claims(), Scale: s.pace.Scale(), AtMinimum: s.pace.AtMinimum(),
		Events: s.player.timeline.recorded(), Impact: s.player.timeline.measured(), Expectations: s.player.results(), Failure: s.player.failure,
	}
	r.judge(s.player.unjudged)
	r.LagSeconds, r.LagUsed = s.player.lost()
	if !r.Met && s.controller != nil {
		r.Log = s.controller.Tail()
	}
	return r
}

// startPatience bounds how long the start may take on the wall clock; past it, something will never come.
const startPatience = 3 * time.Minute

// settle brings the cluster to its start: nodes first, then each manifest when the pods of the one before have their
// nodes, so that placement does not depend on who comes first; then until everything runs.
func (s *session) settle(ctx context.Context, t *timeline) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	until := func(missing func() string) error { return s.until(ctx, t, missing) }

	if err := until(func() string { return nodesMissing(s.world, s.cluster.Cloud()) }); err != nil {
		return err
	}
	s.names = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.pass.Cluster.Nodes)) {
		node, err := s.pass.Cluster.Nodes[name].Find(s.cluster.Cloud())
		if err != nil {
			return fmt.Errorf("finding node %q: %w", name, err)
		}
		s.names[name] = node
	}
	s.world.setNames(s.names)
	for _, o := range s.pass.Cluster.Manifests {
		t.reportActivity("applying " + o.GetKind() + " " + o.GetName())
		uid, err := s.client.apply(ctx, o)
		if err != nil {
			return err
		}
		err = until(func() string {
			if !s.world.hasArrived(o.GetKind(), uid) {
				return o.GetKind() + " " + o.GetName() + " to be seen"
			}
			return unplaced(s.world)
		})
		if err != nil {
			return err
		}
	}
	return until(func() string { return notRunning(s.world) })
}

// until waits, looking again whenever the world changes, until nothing is missing any more.
func (s *session) until(ctx context.Context, t *timeline, missing func() string) error {
	last := ""
	for {
		reason := missing()
		if reason == "" {
			return nil
		}
		if reason != last {
			t.reportActivity("waiting for " + reason)
			last = reason
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the start did not come up; still waiting for %s: %w", reason, context.Cause(ctx))
		case err := <-s.clusterEnded:
			return exitReason(ctx, err)
		case <-s.world.changed:
		}
	}
}

// exitReason is why the cluster ended. Cancelling ends it too, and both may be seen at once; then it was the cancelling.
func exitReason(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("playing on the cluster: %w", context.Cause(ctx))
	}
	if err == nil {
		err = errors.New("a part of it ended")
	}
	return fmt.Errorf("the cluster ended while a scenario was played on it: %w", err)
}
