package zonecoverage

import (
	"context"
	"fmt"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
)

// mostNeeded is how many new nodes are tried at most: no policy allows more.
const mostNeeded = 50

// needed is the smallest number of new nodes of a group in the zone with which the scheduler places the pods that one of them would suit, or as many of them
// as one node more would; at least one. It also returns how many are placed.
func (a *assessment) needed(ctx context.Context, zone string, c Candidate) (needed, placed int, err error) {
	needed = 1
	for n := 1; n <= min(len(c.pods), mostNeeded); n++ {
		now, err := a.placedWith(ctx, zone, c, n)
		if err != nil {
			return 0, 0, err
		}
		if n > 1 && now <= placed {
			break
		}
		if needed, placed = n, now; placed == len(c.pods) {
			break
		}
	}
	return needed, placed, nil
}

// placedWith is how many of a candidate's pods the scheduler places if the group has so many new nodes in the zone, with the pods of DaemonSets.
func (a *assessment) placedWith(ctx context.Context, zone string, c Candidate, nodes int) (int, error) {
	a.judge.Fork()
	defer a.judge.Revert()
	example := kube.ExampleNode(zone, c.Nodes)
	for i := range nodes {
		node := kube.NewNode(fmt.Sprintf("%s-new-%d", example.Name, i), zone, example, c.Nodes)
		edits := []cluster.Edit{cluster.Put(node)}
		for _, set := range a.world.DaemonSets() {
			if kube.ShouldRunDaemonPod(set, node) {
				pod := podOf(set, set.Name+"-"+node.Name)
				pod.Spec.NodeName = node.Name
				edits = append(edits, cluster.Put(pod))
			}
		}
		if err := a.judge.Apply(edits...); err != nil {
			return 0, err
		}
	}
	placed := 0
	for _, t := range c.pods {
		node, err := a.placeOne(ctx, t)
		if err != nil {
			return 0, err
		}
		if node != "" {
			placed++
		}
	}
	return placed, nil
}
