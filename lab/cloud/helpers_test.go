package cloud

import (
	"regexp"
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// fixture is a cloud whose time a test moves by hand.
type fixture struct {
	*Cloud
	t     testing.TB
	clock *clocktesting.FakeClock
}

var testStart = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

func newFixture(t testing.TB, o Options) *fixture {
	t.Helper()
	fake := clocktesting.NewFakeClock(testStart)
	o.Clock = clock.WithTicker(fake)
	c, err := New(o)
	if err != nil {
		t.Fatalf("building the cloud: %v", err)
	}
	return &fixture{Cloud: c, t: t, clock: fake}
}

// advanceBy advances the clock, stopping at each moment at which something is due.
func (b *fixture) advanceBy(d time.Duration) {
	b.t.Helper()
	end := b.clock.Now().Add(d)
	for {
		next, some := b.nextDue()
		if !some || next.After(end) {
			break
		}
		b.clock.SetTime(next)
		b.advanceNow()
	}
	b.clock.SetTime(end)
	b.advanceNow()
}

func (b *fixture) advanceNow() {
	b.t.Helper()
	if err := b.advance(); err != nil {
		b.t.Fatalf("letting time pass: %v", err)
	}
}

func (b *fixture) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("the cloud refused: %v", err)
	}
}

// zones counts the instances of a group that belong to it and are up, by zone.
func (b *fixture) zones(group string) map[string]int {
	count := map[string]int{}
	for _, i := range b.Instances() {
		if i.Group == group && !i.Detached && i.Booted {
			count[i.Zone]++
		}
	}
	return count
}

// members are the group's instances that have not begun to end.
func (b *fixture) members(group string) []Instance {
	var members []Instance
	for _, i := range b.Instances() {
		if i.Group == group && !i.Detached && i.State != ShuttingDown && i.State != Terminated {
			members = append(members, i)
		}
	}
	return members
}

// inZone is one of the group's instances in a zone.
func (b *fixture) inZone(group, zone string) Instance {
	b.t.Helper()
	for _, i := range b.members(group) {
		if i.Zone == zone {
			return i
		}
	}
	b.t.Fatalf("group %s has no instance in %s", group, zone)
	return Instance{}
}

func (b *fixture) instance(id string) Instance {
	b.t.Helper()
	i, found := b.Instance(id)
	if !found {
		b.t.Fatalf("instance %s is not described any more", id)
	}
	return i
}

// workers is a group over the three default zones which are filled in the order a, b, c.
func workers(desired, most int) GroupSpec {
	return GroupSpec{
		Name: "workers", InstanceType: "m5.large", Desired: desired, Max: most,
		ZoneOrder: []string{"us-east-1a", "us-east-1b", "us-east-1c"},
	}
}

func started(t testing.TB, groups ...GroupSpec) *fixture {
	t.Helper()
	return newFixture(t, Options{Spec: Spec{Groups: groups}, InstantStart: true})
}

func matches(t testing.TB, what, got, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(got) {
		t.Errorf("%s is %q, want it to match %s", what, got, pattern)
	}
}
