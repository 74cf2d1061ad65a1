package cri

import "context"

// NewSandbox is a sandbox that is asked for.
type NewSandbox struct {
	Namespace, Name, UID string
	// Attempt tells apart sandboxes of the same name.
	Attempt uint32
	Labels  map[string]string
	// CgroupParent is the cgroup to make it in. Empty is the runtime's own choice.
	CgroupParent string
	// HostNetwork gives it the host's network, so that no network plugin is asked.
	HostNetwork bool
}

// The values of NamespaceMode. The kubelet asks for processes of each container's own unless the pod wants it otherwise.
const (
	ofContainer = 1
	ofNode      = 2
)

// Run makes a sandbox and gives its ID.
func (c *Client) Run(ctx context.Context, s NewSandbox) (string, error) {
	answer, err := c.call(ctx, service+"RunPodSandbox", s.request())
	if err != nil {
		return "", err
	}
	var id string
	err = each(answer, func(f field) error {
		if f.number == 1 {
			return f.text(&id)
		}
		return nil
	})
	return id, err
}

func (s NewSandbox) request() message {
	metadata := message(nil).text(1, s.Name).text(2, s.UID).text(3, s.Namespace).number(4, uint64(s.Attempt))
	var network uint64 // of the pod
	if s.HostNetwork {
		network = ofNode
	}
	namespaces := message(nil).number(1, network).number(2, ofContainer)
	linux := message(nil).text(1, s.CgroupParent).nested(2, message(nil).nested(1, namespaces))
	return message(nil).nested(1, message(nil).nested(1, metadata).labels(6, s.Labels).nested(8, linux))
}

// Remove stops a sandbox, with all in it, and removes it. One that is gone already is removed.
func (c *Client) Remove(ctx context.Context, id string) error {
	for _, method := range []string{"StopPodSandbox", "RemovePodSandbox"} {
		if _, err := c.call(ctx, service+method, message(nil).text(1, id)); err != nil && !Refused(err, NotFound) {
			return err
		}
	}
	return nil
}
