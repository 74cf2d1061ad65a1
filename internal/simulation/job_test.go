package simulation_test

import (
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
)

// TestJobBackoff evicts pods of a Job: each failure keeps the next pod away for twice as long.
func TestJobBackoff(t *testing.T) {
	w := world(node("n1", "a"), node("n2", "b"), job("night", 6, template("night", "1"), "n1", "n1"))
	expect(t, w.future(t, change.DrainNode{Node: "n1"}), "moved night-a n1>n2 10s", "moved night-b n1>n2 20s")
}
