package network

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

const (
	// ipamdCheckpoint is where ipamd writes which sandbox has which address (pkg/ipamd, defaultBackingStorePath).
	ipamdCheckpoint = "/var/run/aws-node/ipam.json"
	// containerd is the runtime of nodes with the VPC CNI.
	containerd = "/run/containerd/containerd.sock"
)

// allocation is an address that ipamd notes as a sandbox's (pkg/ipamd/datastore, CheckpointEntry).
type allocation struct {
	ContainerID string `json:"containerID"`
	IfName      string `json:"ifName"`
	IPv4        string `json:"ipv4"`
	IPv6        string `json:"ipv6"`
	Metadata    struct {
		Namespace string `json:"k8sPodNamespace"`
		Name      string `json:"k8sPodName"`
	} `json:"metadata"`
}

func parseCheckpoint(text []byte) ([]allocation, error) {
	var checkpoint struct {
		Version     string       `json:"version"`
		Allocations []allocation `json:"allocations"`
	}
	if err := json.Unmarshal(text, &checkpoint); err != nil {
		return nil, fmt.Errorf("read ipamd's checkpoint: %w", err)
	}
	if !strings.HasPrefix(checkpoint.Version, "vpc-cni-ipam/") {
		return nil, fmt.Errorf("read ipamd's checkpoint: %q is no version of it", checkpoint.Version)
	}
	return checkpoint.Allocations, nil
}

// checkpoint compares ipamd's checkpoint with the container runtime's sandboxes.
type checkpoint struct {
	host    host.Host
	runtime *cri.Client
	// addresses caches those of sandboxes, which never change.
	addresses map[string][]string
}

func allocations(h host.Host) monitor.Periodic {
	c := &checkpoint{host: h, runtime: cri.New(h.Path(containerd))}
	return periodic("checkpoint", longPeriod, ipamdCheckpoint, c.look, reason.IPAMDInconsistentState)
}

func (c *checkpoint) look(ctx context.Context) ([]evidence.Evidence, error) {
	text, err := os.ReadFile(c.host.Path(ipamdCheckpoint))
	if errors.Is(err, fs.ErrNotExist) {
		return unavailable(evidence.Inapplicable, ipamdCheckpoint, "the Amazon VPC CNI notes no addresses on this host", reason.IPAMDInconsistentState), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ipamd's checkpoint: %w", err)
	}
	noted, err := parseCheckpoint(text)
	if err != nil {
		return nil, err
	}
	var found []evidence.Evidence
	known := map[string][]string{}
	for _, a := range noted {
		if a.IfName != "eth0" {
			continue // The runtime does not know a pod's further links.
		}
		addresses, err := c.of(ctx, a.ContainerID)
		if err != nil {
			return found, err
		}
		known[a.ContainerID] = addresses
		if !slices.Contains(addresses, a.IPv4) && !slices.Contains(addresses, a.IPv6) {
			pod := a.Metadata.Namespace + "/" + a.Metadata.Name
			found = append(found, fault(reason.IPAMDInconsistentState, pod, ipamdCheckpoint, "ipamd notes %s%s for %s, whose sandbox %.12s has %s",
				a.IPv4, a.IPv6, pod, a.ContainerID, cmp.Or(strings.Join(addresses, " and "), "none")))
		}
	}
	c.addresses = known
	return found, nil
}

// of returns a sandbox's addresses; none if the runtime does not know it, because it is being created, or was removed.
func (c *checkpoint) of(ctx context.Context, sandbox string) ([]string, error) {
	if addresses := c.addresses[sandbox]; len(addresses) > 0 {
		return addresses, nil
	}
	addresses, err := c.runtime.Addresses(ctx, sandbox)
	if cri.Refused(err, cri.NotFound) {
		return nil, nil
	}
	return addresses, err
}
