package vpccni

import (
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The times of the look for interfaces that were left behind, pkg/awsutils/awsutils.go: wait.Forever, eniCleanupStartupDelayMax,
// eniDeleteCooldownTime.
const (
	cleanUpPeriod   = time.Hour
	longestStart    = 300 * time.Second
	youngestCleaned = 5 * time.Minute
)

// cleanUpDelay is how long an agent waits before each look, at random, so that a cluster's do not look at once.
func (a *agent) cleanUpDelay() time.Duration {
	return a.pace.Real(time.Duration(a.random.Int64N(int64(longestStart))))
}

// cleanUp deletes interfaces that some agent has created and none uses: cleanUpLeakedENIs. Without a cluster's name, they may be
// another cluster's in the VPC. One whose creation time cannot be read is deleted at once, as by the real one, whose zero time
// is long ago.
func (a *agent) cleanUp(s settings, now time.Time) {
	if s.noCleanup {
		return
	}
	for _, i := range a.cloud.NetworkInterfaces() {
		_, ours := i.Tags[instanceTag]
		if i.Status != cloud.InterfaceAvailable || !ours || s.clusterName != "" && i.Tags[clusterTag] != s.clusterName ||
			!strings.HasPrefix(i.Description, descriptionPrefix) {
			continue
		}
		created, stated := i.Tags[createdAtTag]
		at, err := time.Parse(time.RFC3339, created)
		if !stated || err != nil {
			_ = a.ec2.tag(i.ID, map[string]string{createdAtTag: now.Format(time.RFC3339)}) // it may be gone
		}
		if stated && now.Sub(at) >= a.pace.Real(youngestCleaned) {
			_ = a.ec2.delete(i.ID) // one that was attached meanwhile is refused; what is left waits for the next look
		}
	}
}
