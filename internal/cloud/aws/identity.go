package aws

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// EC2's host names of instances, with or without a domain: by their ID, or by their first private address. Nodes on EKS have these names; other
// names of nodes say nothing of the instance.
//
// Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-naming.html
var (
	byResource = regexp.MustCompile(`^(i-(?:[0-9a-f]{8}|[0-9a-f]{17}))(?:\.|$)`)
	byAddress  = regexp.MustCompile(`^ip-(\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3})(?:\.|$)`)
)

// errOtherMachine says that a node does not run on the instance of its provider ID.
var errOtherMachine = errors.New("another machine")

// identify returns an error if a machine's node has the name of another instance than its provider ID, because the node was restored from
// another's image or has been tampered with: the action would hit another machine. It also does for an instance that EC2 does not know.
func (p *Provider) identify(ctx context.Context, m cloud.Machine) error {
	id := instanceOf(m)
	if named := byResource.FindStringSubmatch(m.Node); named != nil && named[1] != id {
		return fmt.Errorf("%w: the node %s says that it runs on %s, but is named after another instance", errOtherMachine, m.Node, id)
	}
	named := byAddress.FindStringSubmatch(m.Node)
	if named == nil {
		return nil
	}
	instances, err := p.instances(ctx, []string{id})
	switch {
	case errors.Is(err, cloud.ErrPassing): // Not ErrUnsure, as after the end of a context: the action was not requested yet.
		return fmt.Errorf("%w: %v", cloud.ErrPassing, err) //nolint:errorlint // As said.
	case err != nil:
		return err
	}
	i, known := instances[id]
	if !known || i.PrivateIpAddress == nil { // An instance that is gone has no address.
		return nil
	}
	if !slices.Contains(addressesOf(i), strings.ReplaceAll(named[1], "-", ".")) {
		return fmt.Errorf("%w: the node %s says that it runs on %s, which EC2 knows as %s at %s", errOtherMachine, m.Node, id, sdk.ToString(i.PrivateDnsName), sdk.ToString(i.PrivateIpAddress))
	}
	return nil
}

// addressesOf are an instance's private addresses.
func addressesOf(i types.Instance) []string {
	all := []string{sdk.ToString(i.PrivateIpAddress)}
	for _, card := range i.NetworkInterfaces {
		for _, address := range card.PrivateIpAddresses {
			all = append(all, sdk.ToString(address.PrivateIpAddress))
		}
	}
	return all
}
