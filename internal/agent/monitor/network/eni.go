package network

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
)

// assigned is an address that the VPC CNI has assigned to a pod.
type assigned struct {
	address netip.Addr
	// secondary says whether it belongs to another network card than the node's first, so that the pod's packets must leave through that one.
	secondary bool
}

// assignments returns the addresses that pods have, according to ipamd.
func (d ipamd) assignments(ctx context.Context) ([]assigned, error) {
	body, err := d.ask(ctx, "/v1/enis")
	if err != nil {
		return nil, err
	}
	return parseENIs(body)
}

// eniInfos is the answer of ipamd's introspection (pkg/ipamd/datastore). Since its multi-card changes (76931664d, July 2025) there is
// one for each network card, by number; since July 2026 (its PR 3739) without the containers' IDs.
type eniInfos struct {
	ENIs map[string]struct {
		IsPrimary                     bool
		AvailableIPv4Cidrs, IPv6Cidrs map[string]eniCIDR
	}
}

type eniCIDR struct {
	IPAddresses map[string]struct {
		Address string
		IPAMKey struct {
			NetworkName string `json:"networkName"` // empty if no pod has it
		}
	}
}

// firstCard is the number of the network card whose pods are routed by address. Those of others are by interface.
const firstCard = "0"

func parseENIs(body []byte) ([]assigned, error) {
	var one eniInfos
	if err := json.Unmarshal(body, &one); err != nil {
		return nil, fmt.Errorf("read what ipamd tells of its interfaces: %w", err)
	}
	if one.ENIs == nil {
		var byCard map[string]eniInfos
		if err := json.Unmarshal(body, &byCard); err != nil {
			return nil, fmt.Errorf("read what ipamd tells of its interfaces: %w", err)
		}
		one = byCard[firstCard]
	}
	var all []assigned
	for _, eni := range one.ENIs {
		for _, cidrs := range []map[string]eniCIDR{eni.AvailableIPv4Cidrs, eni.IPv6Cidrs} {
			for _, cidr := range cidrs {
				for _, a := range cidr.IPAddresses {
					if address, err := netip.ParseAddr(a.Address); err == nil && a.IPAMKey.NetworkName != "" {
						all = append(all, assigned{address: address, secondary: !eni.IsPrimary})
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b assigned) int { return a.address.Compare(b.address) })
	return all, nil
}
