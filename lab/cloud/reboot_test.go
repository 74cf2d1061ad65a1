package cloud

import (
	"testing"
	"time"
)

func TestReboot(t *testing.T) {
	b := started(t, workers(3, 3))
	struck, other := b.inZone("workers", "us-east-1a"), b.inZone("workers", "us-east-1b")

	b.must(b.Reboot(struck.ID))
	if i := b.instance(struck.ID); i.State != Running || i.Booted || i.Reboots != 1 {
		t.Errorf("while it reboots: state %s, booted %t, %d reboots; want running, not booted, 1", i.State, i.Booted, i.Reboots)
	}
	b.advanceBy(defaultBootDelay - pendingTime - time.Second)
	if b.instance(struck.ID).Booted {
		t.Error("it is up before its boot delay has passed")
	}
	b.advanceBy(time.Second)
	if i := b.instance(struck.ID); !i.Booted || i.State != Running || len(b.members("workers")) != 3 {
		t.Errorf("after the reboot: %+v, group of %d", i, len(b.members("workers")))
	}
	if i := b.instance(other.ID); i.Reboots != 0 || !i.Booted {
		t.Errorf("another instance was touched: %+v", i)
	}
}

// TestRebootAllOrNone leaves the first instance alone when the second cannot be rebooted.
func TestRebootAllOrNone(t *testing.T) {
	b := started(t, workers(3, 3))
	well, stopped := b.inZone("workers", "us-east-1a"), b.inZone("workers", "us-east-1b")
	b.must(b.StopInstance(stopped.ID))

	for _, tc := range []struct{ id, code string }{
		{stopped.ID, CodeIncorrectInstanceState},
		{"i-0123456789abcdef0", CodeInstanceNotFound},
	} {
		if err := b.Reboot(well.ID, tc.id); !HasCode(err, tc.code) {
			t.Errorf("rebooting %s: got %v, want %s", tc.id, err, tc.code)
		}
	}
	if i := b.instance(well.ID); i.Reboots != 0 || !i.Booted {
		t.Errorf("the refused request rebooted the other instance: %+v", i)
	}
}

func TestRebootSkipsTerminated(t *testing.T) {
	b := started(t, workers(3, 3))
	ended := b.inZone("workers", "us-east-1a")
	b.must(b.Terminate(ended.ID, false))
	b.must(b.Reboot(ended.ID))
	if i := b.instance(ended.ID); i.State != ShuttingDown || i.Reboots != 0 {
		t.Errorf("an instance that ends was rebooted: %+v", i)
	}
}

// TestRebootOfImpaired: a machine without power has none after the request either.
func TestRebootOfImpaired(t *testing.T) {
	b := started(t, workers(3, 3))
	dead := b.inZone("workers", "us-east-1a")
	b.must(b.SetImpaired(dead.ID, true))
	b.must(b.Reboot(dead.ID))
	b.advanceBy(time.Hour)
	if !b.instance(dead.ID).Impaired {
		t.Error("the reboot mended a dead machine")
	}
}
