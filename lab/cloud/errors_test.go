package cloud

import (
	"errors"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		ask  func(*fixture) error
		code string
		says string
	}{
		"below min": {
			ask:  func(b *fixture) error { return b.SetDesired("workers", 0) },
			code: CodeValidation, says: "New SetDesiredCapacity value 0 is below min value 2 for the AutoScalingGroup.",
		},
		"above max": {
			ask:  func(b *fixture) error { return b.SetDesired("workers", 4) },
			code: CodeValidation, says: "New SetDesiredCapacity value 4 is above max value 3 for the AutoScalingGroup.",
		},
		"no such group": {
			ask:  func(b *fixture) error { return b.SetDesired("nobody", 1) },
			code: CodeValidation, says: "AutoScalingGroup name not found - AutoScalingGroup nobody not found",
		},
		"bounds crossed": {
			ask:  func(b *fixture) error { return b.SetBounds("workers", 5, 4) },
			code: CodeValidation, says: "Max bound, 4, must be greater than or equal to min bound, 5",
		},
		"group twice": {
			ask:  func(b *fixture) error { return b.AddGroup(workers(1, 1)) },
			code: CodeAlreadyExists, says: "AutoScalingGroup by this name already exists",
		},
		"group of an unknown type": {
			ask:  func(b *fixture) error { return b.AddGroup(GroupSpec{Name: "odd", InstanceType: "x9.huge", Desired: 1}) },
			code: CodeValidation, says: `group.instanceType: Not found: "x9.huge"`,
		},
		"decrement below min": {
			ask:  func(b *fixture) error { return b.Terminate(b.members("workers")[0].ID, true) },
			code: CodeValidation, says: "Currently, desiredSize equals minSize (2). Terminating instance without replacement will violate group's min size constraint.",
		},
		"decrement for a detached instance": {
			ask: func(b *fixture) error {
				old := b.members("workers")[0].ID
				b.must(b.Rotate("workers", Rotation{Old: OldLeave}))
				return b.Terminate(old, true)
			},
			code: CodeValidation, says: "Instance Id not found - No managed instance found for instance ID: i-0",
		},
		"rotation beyond max": {
			ask:  func(b *fixture) error { return b.Rotate("workers", Rotation{Desired: new(9)}) },
			code: CodeValidation, says: "Desired capacity:9 must be between the specified min size:2 and max size:3",
		},
		"rotation into an unknown zone": {
			ask:  func(b *fixture) error { return b.Rotate("workers", Rotation{Zones: []string{"us-east-1z"}}) },
			code: CodeValidation, says: `rotation.zones[0]: Unsupported value: "us-east-1z"`,
		},
		"no such instance": {
			ask:  func(b *fixture) error { return b.Terminate("i-0", false) },
			code: CodeInstanceNotFound, says: "The instance ID 'i-0' does not exist",
		},
		"stop what is ending": {
			ask: func(b *fixture) error {
				id := b.members("workers")[0].ID
				b.must(b.Terminate(id, false))
				return b.StopInstance(id)
			},
			code: CodeIncorrectInstanceState, says: "is not in a state from which it can be stopped.",
		},
		"start in a lost zone": {
			ask: func(b *fixture) error {
				i := b.members("workers")[0]
				b.must(b.StopInstance(i.ID))
				b.advanceBy(shutdownTime)
				b.must(b.LoseZone(i.Zone))
				return b.StartInstance(i.ID)
			},
			code: CodeInsufficientCapacity, says: "We currently do not have sufficient m5.large capacity",
		},
		"no such zone": {
			ask:  func(b *fixture) error { return b.LoseZone("mars-1a") },
			code: CodeInvalidParameter, says: "Invalid availability zone: [mars-1a]",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := workers(2, 3)
			spec.Min = 2
			expectRefusal(t, test.ask(started(t, spec)), test.code, test.says)
		})
	}
}

func expectRefusal(t *testing.T, err error, code, says string) {
	t.Helper()
	if code == "" {
		if err != nil {
			t.Errorf("got %v, want no refusal", err)
		}
		return
	}
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != code || !strings.Contains(refused.Message, says) {
		t.Errorf("got %v, want %s: …%s…", err, code, says)
	}
	if !HasCode(err, "other", code) || HasCode(err, "other") {
		t.Errorf("HasCode does not know %v", err)
	}
}

func TestSetBoundsMovesDesired(t *testing.T) {
	tests := map[string]struct{ lowest, highest, want int }{
		"raised": {4, 6, 4}, "lowered": {0, 1, 1}, "within": {1, 5, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := started(t, workers(2, 3))
			b.must(b.SetBounds("workers", test.lowest, test.highest))
			if got := b.Groups()[0].Desired; got != test.want {
				t.Errorf("desired is %d, want %d", got, test.want)
			}
		})
	}
}
