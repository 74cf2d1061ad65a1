package cloud

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestVolumes(t *testing.T) {
	const a, b1 = "us-east-1a", "us-east-1b"
	tests := map[string]struct {
		ask  func(b *fixture, volume string) error
		code string
		says string
	}{
		"attach": {
			ask: func(b *fixture, v string) error { return b.AttachVolume(v, b.inZone("workers", a).ID) },
		},
		"attach to a stopped instance": {
			ask: func(b *fixture, v string) error {
				i := b.inZone("workers", a)
				b.must(b.StopInstance(i.ID))
				b.advanceBy(shutdownTime)
				return b.AttachVolume(v, i.ID)
			},
		},
		"attach across zones": {
			ask:  func(b *fixture, v string) error { return b.AttachVolume(v, b.inZone("workers", b1).ID) },
			code: CodeZoneMismatch, says: "is not in the same availability zone as instance",
		},
		"attach twice": {
			ask: func(b *fixture, v string) error {
				b.must(b.AttachVolume(v, b.inZone("workers", a).ID))
				return b.AttachVolume(v, b.inZone("workers", a).ID)
			},
			code: CodeVolumeInUse, says: "is already attached to an instance",
		},
		"attach to what boots": {
			ask: func(b *fixture, v string) error {
				b.must(b.Terminate(b.inZone("workers", a).ID, false))
				return b.AttachVolume(v, b.inZone("workers", a).ID)
			},
			code: CodeIncorrectState, says: "is not 'running'.",
		},
		"attach to nothing": {
			ask:  func(b *fixture, v string) error { return b.AttachVolume(v, "i-0") },
			code: CodeInstanceNotFound, says: "The instance ID 'i-0' does not exist",
		},
		"attach no volume": {
			ask:  func(b *fixture, _ string) error { return b.AttachVolume("vol-0", b.inZone("workers", a).ID) },
			code: CodeVolumeNotFound, says: "The volume 'vol-0' does not exist.",
		},
		"attach one too many": {
			ask: func(b *fixture, v string) error {
				i := b.inZone("workers", a)
				for range i.Capacity.Volumes {
					extra, err := b.CreateVolume(a, gibibyte, "")
					b.must(err)
					b.must(b.AttachVolume(extra.ID, i.ID))
				}
				return b.AttachVolume(v, i.ID)
			},
			code: CodeAttachmentLimitExceeded, says: "has 25 volumes attached",
		},
		"attach in a lost zone": {
			ask: func(b *fixture, v string) error {
				i := b.inZone("workers", a)
				b.must(b.LoseZone(a))
				return b.AttachVolume(v, i.ID)
			},
			code: CodeUnavailable, says: "The Availability Zone us-east-1a is currently unavailable",
		},
		"detach from a dead machine": {
			ask: func(b *fixture, v string) error {
				i := b.inZone("workers", a)
				b.must(b.AttachVolume(v, i.ID))
				b.must(b.SetImpaired(i.ID, true))
				return b.DetachVolume(v, i.ID)
			},
		},
		"detach what is free": {
			ask:  func(b *fixture, v string) error { return b.DetachVolume(v, b.inZone("workers", a).ID) },
			code: CodeIncorrectState, says: "is in the 'available' state.",
		},
		"detach from another": {
			ask: func(b *fixture, v string) error {
				b.must(b.AttachVolume(v, b.inZone("workers", a).ID))
				return b.DetachVolume(v, b.inZone("workers", b1).ID)
			},
			code: CodeAttachmentNotFound, says: "is not attached to instance",
		},
		"delete": {
			ask: func(b *fixture, v string) error { return b.DeleteVolume(v) },
		},
		"delete what is attached": {
			ask: func(b *fixture, v string) error {
				b.must(b.AttachVolume(v, b.inZone("workers", a).ID))
				return b.DeleteVolume(v)
			},
			code: CodeVolumeInUse, says: "is currently attached to i-0",
		},
		"the same token for another size": {
			ask: func(b *fixture, _ string) error {
				_, err := b.CreateVolume(a, 2*gibibyte, "pvc-1")
				return err
			},
			code: CodeIdempotentParameterClash,
		},
		"create in a lost zone": {
			ask: func(b *fixture, _ string) error {
				b.must(b.LoseZone(a))
				_, err := b.CreateVolume(a, gibibyte, "pvc-2")
				return err
			},
			code: CodeUnavailable,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := started(t, workers(2, 2))
			v, err := b.CreateVolume(a, 1, "pvc-1")
			b.must(err)
			expectRefusal(t, test.ask(b, v.ID), test.code, test.says)
		})
	}
}

func TestVolumeByToken(t *testing.T) {
	b := started(t)
	first, err := b.CreateVolume("us-east-1a", 1, "pvc-1")
	b.must(err)
	again, err := b.CreateVolume("us-east-1a", gibibyte, "pvc-1")
	b.must(err)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the same token gave another volume (-first +again):\n%s", diff)
	}
	if first.Size != gibibyte {
		t.Errorf("a volume of one byte has %d, want a GiB", first.Size)
	}
	if got := len(b.Volumes()); got != 1 {
		t.Errorf("there are %d volumes, want 1", got)
	}
}

func TestTerminationFreesVolumes(t *testing.T) {
	b := started(t, workers(1, 1))
	i := b.members("workers")[0]
	v, err := b.CreateVolume(i.Zone, gibibyte, "")
	b.must(err)
	b.must(b.AttachVolume(v.ID, i.ID))
	b.must(b.Terminate(i.ID, false))
	if got := b.Volumes()[0].AttachedTo; got != i.ID {
		t.Errorf("while the instance shuts down its volume is attached to %q", got)
	}
	b.advanceBy(shutdownTime + time.Second)
	if got := b.Volumes()[0].AttachedTo; got != "" {
		t.Errorf("after termination the volume is attached to %q", got)
	}
}
