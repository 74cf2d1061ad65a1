// Package monitor defines the monitors, which watch a host: each package below it one part of a host. A monitor emits evidence of the reasons
// that it is about, either at each look, which finds a fault or finds none, or for each occurrence, such as a log line.
package monitor

import (
	"context"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Emit passes evidence on. It may be called from several goroutines.
type Emit func(evidence.Evidence)

// Monitor watches one part of a host. It changes nothing on it.
type Monitor interface {
	// Name is the package and the part, such as "network/links".
	Name() string
	// Reasons are those that the monitor is about.
	Reasons() []reason.ID
	// Look emits what can be seen now, once.
	Look(ctx context.Context, emit Emit) error
	// Run emits evidence until ctx ends. If it returns an error, the reasons are unknown from then on, and Run is called again after a while.
	Run(ctx context.Context, emit Emit) error
}
