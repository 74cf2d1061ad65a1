// Package monitor is what watches a host: each folder below it one part of a host, each monitor telling evidence of its
// reasons.
package monitor

import (
	"context"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Tell takes evidence. It may be called from several goroutines.
type Tell func(evidence.Evidence)

// Monitor watches one part of a host. It changes nothing on it.
type Monitor interface {
	// Name is the folder and the part, "network/links".
	Name() string
	Reasons() []reason.ID
	// Look tells what is to be seen now, once.
	Look(ctx context.Context, tell Tell) error
	// Run tells what is to be seen, as it comes, until ctx ends. An error is one that ends the watching: its reasons are
	// unknown from then on, and it is run again after a while.
	Run(ctx context.Context, tell Tell) error
}
