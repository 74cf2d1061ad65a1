package twin

import (
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/pace"
)

// Twin is a cluster that is to be built from its snapshot.
type Twin struct {
	header   snapshot.Header
	pace     *pace.Pace
	fill     controlplane.Fill
	region   cloud.Spec
	existing cloud.Existing
	notes    notes
}

// Read reads a snapshot and works out the lab that is its twin. Nothing is started. An error means that the file is none,
// is damaged, or holds what no lab can be built from.
func Read(file io.Reader, p *pace.Pace, now clock.PassiveClock) (*Twin, error) {
	c, err := read(file)
	if err != nil {
		return nil, err
	}
	at := metav1.NewTime(now.Now())
	c.removeLabOwned()
	c.addMissingObjects(at)
	c.removeDanglingReferences()
	c.shiftTimes(at, p)
	if err := c.scale(p); err != nil {
		return nil, err
	}
	c.failContainers()
	c.notePods()
	c.markReplicaSets()
	if err := c.addControllerRevisions(at); err != nil {
		return nil, err
	}
	machines, volumes := c.machines(), c.volumes()
	c.attach(volumes, machines)
	t := &Twin{
		header: c.header, pace: p, fill: c.fill, region: c.region(volumes),
		existing: cloud.Existing{Instances: machines, Volumes: volumes},
	}
	if err := t.region.Validate(nil).ToAggregate(); err != nil {
		return nil, fmt.Errorf("the snapshot's nodes make no cloud: %w", err)
	}
	c.noteMissingKinds()
	t.notes = c.notes
	return t, nil
}

// Options are the lab that is the twin. One lab can be started with them: it takes over the objects.
func (t *Twin) Options() lab.Options {
	return lab.Options{Cloud: t.region, Pace: t.pace, Existing: &lab.Existing{Fill: t.fill, Cloud: t.existing}}
}

// Account writes what the twin is and what of the cluster it could not carry over, for a person.
func (t *Twin) Account(w io.Writer) {
	server := ""
	if v := t.header.Server; v != "" && !strings.HasPrefix(v, "v0.0.0-") { // which an API server says that was built without one
		server = " of a cluster of " + t.header.Server
	}
	_, _ = fmt.Fprintf(w, "The twin%s as it was at %s:\n", server, t.header.Taken.UTC().Format("2006-01-02 15:04:05 MST"))
	for _, line := range groupSummaries(t.region) {
		_, _ = fmt.Fprintln(w, "  "+line)
	}
	_, _ = fmt.Fprintln(w, "Not as in the cluster:")
	_, _ = fmt.Fprintln(w, "  containers run nothing; a snapshot has no Secrets, ConfigMaps or values of environment variables")
	_, _ = fmt.Fprintln(w, "  webhooks, custom resources and controllers of others are not there; nor are HorizontalPodAutoscalers,")
	_, _ = fmt.Fprintln(w, "  NetworkPolicies, RBAC, and revisions of DaemonSets and StatefulSets to go back to")
	t.notes.print(w)
}
