package cluster

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster/anonymous"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

// Anonymize is the Snapshot with names replaced, so that it may be shared. Every conclusion about it is the same, up to names, except for random
// choices: among nodes with equal scores, another may be chosen. Package anonymous documents what is replaced. The replacements differ each time.
func (s *Snapshot) Anonymize() (*Snapshot, error) {
	a := anonymous.New(func(c *corev1.Container) bool { return isProportional(*c) })
	codec := compact.New()
	var objects []compact.Object
	for _, kind := range allKinds() {
		for _, o := range s.Objects(kind) {
			object := o.(compact.Object)
			if s.Applied(o) { // Manifests are of no use without the names in them.
				var err error
				if object, err = codec.Compact(object); err != nil {
					return nil, fmt.Errorf("anonymizing a %s: %w", kind, err)
				}
			}
			if subnet, is := object.(*custom.Subnet); is {
				subnet = subnet.DeepCopyObject().(*custom.Subnet)
				subnet.Spec.Reserved = subnet.Spec.ReservedBlocks() // The order of addresses changes.
				object = subnet
			}
			a.Learn(object)
			objects = append(objects, object)
		}
	}
	contents := Contents{Knowledge: s.knowledge, Taken: s.taken, Server: s.server, Anonymized: true}
	for part, why := range s.unread { // The cloud's errors name accounts and roles.
		if contents.Unread == nil {
			contents.Unread = map[cloud.NetworkPart]cloud.Unread{}
		}
		contents.Unread[part] = cloud.Unread{Permission: why.Permission, Reason: why.Reason}
	}
	for _, object := range objects {
		replaced := object.DeepCopyObject().(compact.Object)
		a.Anonymize(replaced)
		taken, err := codec.Compact(replaced)
		if err != nil {
			return nil, fmt.Errorf("anonymizing a %T: %w", object, err)
		}
		contents.Objects = append(contents.Objects, taken)
	}
	return New(contents), nil
}
