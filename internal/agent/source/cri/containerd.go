package cri

import "context"

// Deprecation is something in containerd's configuration or use that a later version will not have.
type Deprecation struct{ ID, Message string }

// Deprecations asks containerd what it was seen using that is deprecated. Other runtimes do not know the call, and older
// versions of containerd tell of none
// (https://github.com/containerd/containerd/blob/v1.7.27/api/services/introspection/v1/introspection.proto).
func (c *Client) Deprecations(ctx context.Context) ([]Deprecation, error) {
	answer, err := c.call(ctx, "containerd.services.introspection.v1.Introspection/Server", nil)
	if err != nil {
		return nil, err
	}
	return list(answer, 4, (*Deprecation).read)
}

func (d *Deprecation) read(f field) error {
	switch f.number {
	case 1:
		return f.text(&d.ID)
	case 2:
		return f.text(&d.Message)
	}
	return nil
}
