package cloud

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/pace"
)

func TestInstanceLifecycle(t *testing.T) {
	b := newFixture(t, Options{Spec: Spec{Groups: []GroupSpec{workers(1, 1)}}})
	id := b.Instances()[0].ID
	look := func() string {
		i, found := b.Instance(id)
		switch {
		case !found:
			return "forgotten"
		case i.Booted:
			return string(i.State) + ", booted"
		}
		return string(i.State)
	}
	steps := []struct {
		do    func() error
		after time.Duration
		want  string
	}{
		{want: "pending"},
		{after: pendingTime, want: "running"},
		{after: defaultBootDelay - pendingTime - time.Second, want: "running"},
		{after: time.Second, want: "running, booted"},
		{do: func() error { return b.StopInstance(id) }, want: "stopping"},
		{after: shutdownTime, want: "stopped"},
		{do: func() error { return b.StartInstance(id) }, want: "pending"},
		{after: defaultBootDelay, want: "running, booted"},
		{do: func() error { return b.Terminate(id, false) }, want: "shutting-down"},
		{after: shutdownTime, want: "terminated"},
		{after: rememberedTime, want: "forgotten"},
	}
	for _, step := range steps {
		if step.do != nil {
			b.must(step.do())
		}
		b.advanceBy(step.after)
		if got := look(); got != step.want {
			t.Fatalf("at %s the instance is %q, want %q", b.clock.Since(testStart), got, step.want)
		}
	}
}

func TestInstantStart(t *testing.T) {
	b := started(t, workers(3, 3))
	if got := len(b.zones("workers")); got != 3 {
		t.Errorf("at the start %d zones have a booted instance, want 3", got)
	}
	b.must(b.Terminate(b.members("workers")[0].ID, false))
	if newest := b.members("workers")[2]; newest.Booted {
		t.Error("an instance launched later is booted at once, want a boot delay")
	}
}

func TestBootDelayIsScaled(t *testing.T) {
	spec := workers(1, 1)
	spec.BootDelay = &metav1.Duration{Duration: time.Minute}
	b := newFixture(t, Options{Spec: Spec{Groups: []GroupSpec{spec}}, Pace: pace.New(10)})
	b.advanceBy(6*time.Second - time.Millisecond)
	if b.Instances()[0].Booted {
		t.Error("booted before a tenth of a minute has passed")
	}
	b.advanceBy(time.Millisecond)
	if !b.Instances()[0].Booted {
		t.Error("not booted after a tenth of a minute")
	}
}

func TestImpairedKeepsRunning(t *testing.T) {
	b := started(t, workers(2, 2))
	a, c := b.inZone("workers", "us-east-1a"), b.inZone("workers", "us-east-1b")
	b.must(b.SetImpaired(a.ID, true))
	b.must(b.LoseZone(c.Zone))
	for _, id := range []string{a.ID, c.ID} {
		if i := b.instance(id); i.State != Running || !i.Impaired {
			t.Errorf("instance in %s is %s, impaired %t; want running and impaired", i.Zone, i.State, i.Impaired)
		}
	}
	b.must(b.SetImpaired(a.ID, false))
	b.must(b.RestoreZone(c.Zone))
	for _, id := range []string{a.ID, c.ID} {
		if b.instance(id).Impaired {
			t.Errorf("instance %s is still impaired", id)
		}
	}
}

func TestLostZone(t *testing.T) {
	b := started(t, workers(1, 1))
	i := b.members("workers")[0]
	b.must(b.LoseZone(i.Zone))
	b.must(b.Terminate(i.ID, false))
	b.advanceBy(time.Hour)
	if got := b.instance(i.ID).State; got != ShuttingDown {
		t.Errorf("in a lost zone the instance is %s, want %s", got, ShuttingDown)
	}
	b.must(b.RestoreZone(i.Zone))
	b.advanceBy(time.Second)
	if got := b.instance(i.ID).State; got != Terminated {
		t.Errorf("after the zone is back the instance is %s, want %s", got, Terminated)
	}
}

func TestResultsAreCopies(t *testing.T) {
	b := started(t, workers(1, 1))
	b.Instances()[0].Labels["eks.amazonaws.com/nodegroup"] = "spoilt"
	b.Groups()[0].Zones[0] = "spoilt"
	if got := b.Instances()[0].Labels["eks.amazonaws.com/nodegroup"]; got != "workers" {
		t.Errorf("a reader changed the cloud's label to %q", got)
	}
	if got := b.Groups()[0].Zones[0]; got != "us-east-1a" {
		t.Errorf("a reader changed the group's zone to %q", got)
	}
}

func TestNames(t *testing.T) {
	for region, want := range map[string]string{"us-east-1": `^ip-10-0-\d+-\d+\.ec2\.internal$`, "eu-west-1": `^ip-10-0-\d+-\d+\.eu-west-1\.compute\.internal$`} {
		b := newFixture(t, Options{Spec: Spec{Region: region, Groups: []GroupSpec{{Name: "w", InstanceType: "t3.medium", Desired: 1}}}})
		i := b.Instances()[0]
		matches(t, "node name", i.NodeName, want)
		matches(t, "instance ID", i.ID, `^i-0[0-9a-f]{16}$`)
		matches(t, "private IP", i.PrivateIP, `^10\.0\.\d+\.\d+$`)
		if found, ok := b.InstanceByNode(i.NodeName); !ok || found.ID != i.ID {
			t.Errorf("InstanceByNode(%s) = %s, %t", i.NodeName, found.ID, ok)
		}
		if diff := cmp.Diff(InstanceType{Name: "t3.medium", CPU: "2", Memory: "4Gi", Pods: 17, Volumes: 25, MaximumNetworkInterfaces: 3, IPv4AddressesPerInterface: 6}, i.Capacity); diff != "" {
			t.Errorf("capacity (-want +got):\n%s", diff)
		}
	}
}

// Run advances by itself, on the clock of a synctest bubble.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Options{Spec: Spec{Groups: []GroupSpec{workers(1, 2)}}})
		if err != nil {
			t.Fatal(err)
		}
		changed := c.Subscribe(t.Context())
		go func() {
			if err := c.Run(t.Context()); err != nil {
				t.Errorf("running the cloud: %v", err)
			}
		}()

		booted := func() (n int) {
			for _, i := range c.Instances() {
				if i.Booted {
					n++
				}
			}
			return n
		}
		begin := time.Now()
		for booted() < 1 {
			<-changed
		}
		if took := time.Since(begin); took != defaultBootDelay {
			t.Errorf("the first boot took %s, want %s", took, defaultBootDelay)
		}
		begin = time.Now()
		if err := c.SetDesired("workers", 2); err != nil {
			t.Fatal(err)
		}
		for booted() < 2 {
			<-changed
		}
		if took := time.Since(begin); took != defaultBootDelay {
			t.Errorf("the second boot took %s, want %s", took, defaultBootDelay)
		}
	})
}
