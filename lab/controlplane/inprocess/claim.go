package inprocess

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"sync"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/logs"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// claim is what one process may hold: one plane, under feature gates that are set for good, and none once a component
// could not be stopped.
type claim struct {
	mu       sync.Mutex
	plane    *local
	gates    map[string]bool // nil until a plane has started
	unusable error
}

var inProcess claim

// take makes p the process's plane, and the process fit for it.
func (c *claim) take(p *local) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.plane != nil:
		return errors.New("this process already runs a control plane: stop it first, or use controlplane.StartChild")
	case c.unusable != nil:
		return fmt.Errorf("this process cannot run another control plane, use StartChild: %w", c.unusable)
	case c.gates != nil && !maps.Equal(c.gates, p.options.FeatureGates):
		return fmt.Errorf("feature gates belong to the whole process, which has run with %v and cannot run with %v: use controlplane.StartChild",
			c.gates, p.options.FeatureGates)
	}
	if c.gates == nil {
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(p.options.FeatureGates); err != nil {
			return fmt.Errorf("feature gates: %w", err)
		}
		c.gates = maps.Clone(p.options.FeatureGates)
		if c.gates == nil {
			c.gates = map[string]bool{}
		}
		if err := setUpProcess(); err != nil {
			return err
		}
	}
	if _, err := logs.GlogSetter("0"); err != nil { // an earlier plane's flags may have raised it
		return fmt.Errorf("set log verbosity: %w", err)
	}
	setTimers(p.options.Pace)
	c.plane = p
	return nil
}

// walSegment is what etcd takes of the disk at a time for its log, two of them at once. Its standard, 64 MB, is for data
// centres, and the temporary folder may be in memory.
const walSegment = 8 << 20

// setUpProcess does what each component's command would do once, first thing.
func setUpProcess() error {
	if err := captureLogs(); err != nil {
		return fmt.Errorf("set up logging: %w", err)
	}
	wal.SegmentSizeBytes = walSegment
	exit := klog.OsExit
	klog.OsExit = func(code int) {
		if inProcess.fatal("", fmt.Errorf("called exit(%d): %s", code, components.lastError())) {
			runtime.Goexit()
		}
		exit(code)
	}
	return compatibility.DefaultComponentGlobalsRegistry.Set()
}

// fatal reports to the running plane that a component called for the end of the process. It is false if there is none.
func (c *claim) fatal(by controlplane.Component, cause error) bool {
	c.mu.Lock()
	plane := c.plane
	c.mu.Unlock()
	if plane == nil {
		return false
	}
	plane.fail(by, cause)
	return true
}

// release ends the plane's hold. What could not be stopped would disturb the next one.
func (c *claim) release(unusable error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plane, c.unusable = nil, unusable
}
