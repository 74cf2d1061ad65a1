package servingcert

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

const (
	// simulated is for how long it is looked, propagation for how long an agent may have an older ConfigMap.
	simulated   = 3 * 365 * day
	propagation = 10 * time.Minute
	replicas    = 3
)

// copies are the bundles that agents may have: the last that was published, and those that were replaced by another lately.
type copies struct {
	last     string
	replaced []replacedBundle
}

type replacedBundle struct {
	bundle string
	at     time.Time
}

// publish notes what is published at a time.
func (c *copies) publish(bundle string, now time.Time) {
	if bundle == c.last {
		return
	}
	if c.last != "" { // Without a ConfigMap, an agent has none to verify with.
		c.replaced = append(c.replaced, replacedBundle{c.last, now})
	}
	c.last = bundle
}

// at returns the bundles that some agent may have at a time.
func (c *copies) at(now time.Time) []string {
	all := []string{c.last}
	for _, r := range c.replaced {
		if !r.at.Add(propagation).Before(now) {
			all = append(all, r.bundle)
		}
	}
	return all
}

// simulatedReplica is a replica of the controller that may be cut off from the API server for a time, and may start anew.
type simulatedReplica struct {
	*Manager
	cutOff bool
	// served is whether it has served a certificate since it started.
	served bool
}

type simulation struct {
	*world
	random   *rand.Rand
	agents   copies
	replicas []*simulatedReplica
	// accepted is until when what was verified holds: there is much to verify, and each takes a while.
	accepted map[pair]time.Time
}

// pair is a serving certificate, and the bundle with which it is verified.
type pair struct {
	certificate *tls.Certificate
	bundle      string
}

func (s *simulation) start() *simulatedReplica {
	r := &simulatedReplica{}
	fails := func() error {
		if r.cutOff {
			return errors.New("the API server cannot be reached")
		}
		return nil
	}
	r.Manager = s.manager(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return errors.Join(fails(), c.Get(ctx, key, o, opts...))
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if err := fails(); err != nil {
				return err
			}
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := fails(); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
	})
	return r
}

// step lets time pass, and has some replicas fail, start anew or update, in any order.
func (s *simulation) step() error {
	s.clock.Step(s.pause())
	if err := s.check("before the updates"); err != nil {
		return err
	}
	for _, i := range s.random.Perm(len(s.replicas)) {
		switch s.random.IntN(100) {
		case 0:
			s.replicas[i] = s.start()
		case 1:
			s.replicas[i].cutOff = true
		case 2, 3, 4, 5, 6, 7, 8, 9:
			s.replicas[i].cutOff = false
		}
		err := s.replicas[i].update(s.t.Context())
		if err != nil && !s.replicas[i].cutOff {
			return fmt.Errorf("update: %w", err)
		}
		s.agents.publish(s.bundle(), s.clock.Now())
		if err := s.check(fmt.Sprintf("after replica %d", i)); err != nil {
			return err
		}
	}
	return nil
}

// pause is some hours, or some minutes, as between two updates, on the day after the authorities have changed.
func (s *simulation) pause() time.Duration {
	longest, changed := 12*time.Hour, start
	if n := len(s.agents.replaced); n > 0 {
		changed = s.agents.replaced[n-1].at
	}
	if s.clock.Now().Sub(changed) < day {
		longest = 20 * time.Minute
	}
	return time.Duration(s.random.Int64N(int64(longest)))
}

// check says which agent would not accept which replica's certificate. A replica that has served one has one from then on.
func (s *simulation) check(when string) error {
	now := s.clock.Now()
	for i, r := range s.replicas {
		certificate, err := r.GetCertificate(nil)
		if err != nil && !r.served {
			continue
		}
		r.served = true
		for _, bundle := range s.agents.at(now) {
			if err == nil && now.Before(s.accepted[pair{certificate, bundle}]) {
				continue
			}
			chain, err := verify(r.Manager, bundle, now)
			if err != nil {
				return fmt.Errorf("%v (after %v), %s: an agent does not accept replica %d: %w", now, now.Sub(start), when, i, err)
			}
			for _, c := range chain {
				if until, ok := s.accepted[pair{certificate, bundle}]; !ok || c.NotAfter.Before(until) {
					s.accepted[pair{certificate, bundle}] = c.NotAfter
				}
			}
		}
	}
	return nil
}

// At each moment of three years, an agent whose copy of the ConfigMap is up to ten minutes old accepts the certificate of every replica,
// whenever these start anew or cannot reach the API server for a time.
func TestAgentsAcceptReplicas(t *testing.T) {
	const seed = 17
	s := &simulation{world: newWorld(t), random: rand.New(rand.NewPCG(seed, 0)), accepted: map[pair]time.Time{}}
	for range replicas {
		s.replicas = append(s.replicas, s.start())
	}
	for s.clock.Now().Sub(start) < simulated {
		if err := s.step(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.agents.replaced); n < 2*int(simulated/authorityLifetime) {
		t.Errorf("the bundle was replaced %d times: the authorities were not rotated", n)
	}
}
