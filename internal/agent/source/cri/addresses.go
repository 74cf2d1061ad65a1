package cri

import (
	"context"

	"google.golang.org/protobuf/encoding/protowire"
)

// Addresses are those of a sandbox, its first one first: none if it uses the host's network.
func (c *Client) Addresses(ctx context.Context, sandbox string) ([]string, error) {
	answer, err := c.call(ctx, service+"PodSandboxStatus", message(nil).text(1, sandbox))
	if err != nil {
		return nil, err
	}
	var addresses []string
	note := func(f field) error { //nolint:unparam // It visits fields, as others do that fail.
		if f.number == 1 && len(f.bytes) > 0 {
			addresses = append(addresses, string(f.bytes))
		}
		return nil
	}
	const status, network, further = 1, 5, 2
	err = each(answer, in(status, in(network, func(f field) error {
		if f.number == further {
			return each(f.bytes, note)
		}
		return note(f)
	})))
	return addresses, err
}

// in visits the fields of the messages in one field.
func in(number protowire.Number, visit func(field) error) func(field) error {
	return func(f field) error {
		if f.number != number {
			return nil
		}
		return each(f.bytes, visit)
	}
}
