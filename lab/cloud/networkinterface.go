package cloud

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"
)

// InterfaceStatus is the status of a network interface, with EC2's names.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkInterface.html
type InterfaceStatus string

// The statuses of a network interface.
const (
	InterfaceAvailable InterfaceStatus = "available"
	InterfaceAttaching InterfaceStatus = "attaching"
	InterfaceInUse     InterfaceStatus = "in-use"
	InterfaceDetaching InterfaceStatus = "detaching"
)

// ordinaryInterface is the type of an interface that is none of a service's.
const ordinaryInterface = "interface"

// NetworkInterfaceSpec is a network interface that is there before the first instance. One that a service manages is in use, by
// the service; any other is available.
type NetworkInterfaceSpec struct {
	// Subnet is the subnet's name or ID.
	Subnet      string `json:"subnet"`
	Description string `json:"description,omitempty"`
	// InterfaceType is one of EC2's, such as "natGateway"; without it, "interface".
	InterfaceType string `json:"interfaceType,omitempty"`
	// RequesterManaged interfaces are an AWS service's, such as a load balancer's.
	RequesterManaged bool `json:"requesterManaged,omitempty"`
	// Operator is the service that manages the interface for the account, such as "eks.amazonaws.com".
	Operator string `json:"operator,omitempty"`
	// SecondaryAddresses and Prefixes are how many it holds beside its primary address; a prefix is 16 addresses.
	SecondaryAddresses int               `json:"secondaryAddresses,omitempty"`
	Prefixes           int               `json:"prefixes,omitempty"`
	Tags               map[string]string `json:"tags,omitempty"`
}

// NetworkInterface is a network interface of the VPC. The cloud never changes one that it has returned; nor may the caller.
type NetworkInterface struct {
	ID          string          `json:"id"`
	Subnet      string          `json:"subnet"`
	Zone        string          `json:"zone"`
	Status      InterfaceStatus `json:"status"`
	Type        string          `json:"type"`
	Description string          `json:"description,omitempty"`
	// RequesterManaged and Operator are as in NetworkInterfaceSpec.
	RequesterManaged bool           `json:"requesterManaged,omitempty"`
	Operator         string         `json:"operator,omitempty"`
	PrivateIP        netip.Addr     `json:"privateIP"`
	Secondary        []netip.Addr   `json:"secondary,omitempty"`
	Prefixes         []netip.Prefix `json:"prefixes,omitempty"`
	// Attachment is nil while no instance has the interface.
	Attachment *Attachment       `json:"attachment,omitempty"`
	Tags       map[string]string `json:"tags,omitempty"`
	Created    time.Time         `json:"created"`
}

// Attachment is how an instance has an interface. While the interface is attaching or detaching, so is the attachment.
type Attachment struct {
	ID       string `json:"id"`
	Instance string `json:"instance"`
	// DeviceIndex is zero for the instance's primary interface.
	DeviceIndex         int       `json:"deviceIndex"`
	DeleteOnTermination bool      `json:"deleteOnTermination,omitempty"`
	Began               time.Time `json:"began"`
}

// networkInterface is a NetworkInterface and the cloud's own state of it. It is replaced, not changed.
type networkInterface struct {
	NetworkInterface
	// Due is when the interface changes by itself; zero is never.
	Due time.Time `json:"due,omitzero"`
}

// Addresses is how many addresses of its subnet the interface holds.
func (i *NetworkInterface) Addresses() int { return 1 + len(i.Secondary) + prefixSize*len(i.Prefixes) }

// slots are what counts towards the limit of an instance type: a prefix takes the place of one address.
func (i *NetworkInterface) slots() int { return 1 + len(i.Secondary) + len(i.Prefixes) }

// NetworkInterfaces are all interfaces, oldest first.
func (c *Cloud) NetworkInterfaces() []*NetworkInterface {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.showInterfaces()
}

func (c *Cloud) showInterfaces() []*NetworkInterface {
	shown := make([]*NetworkInterface, 0, len(c.state.Interfaces))
	for _, i := range c.state.Interfaces {
		shown = append(shown, &i.NetworkInterface)
	}
	return shown
}

// NetworkInterfaceRequest is what CreateNetworkInterface is asked for.
type NetworkInterfaceRequest struct {
	// Subnet is the subnet's ID.
	Subnet, Description          string
	SecondaryAddresses, Prefixes int
	Tags                         map[string]string
}

// CreateNetworkInterface makes an interface that no instance has.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNetworkInterface.html
func (c *Cloud) CreateNetworkInterface(r NetworkInterfaceRequest) (created *NetworkInterface, err error) {
	err = c.update(func() error {
		s, err := c.subnet(r.Subnet)
		if err != nil {
			return err
		}
		i, err := c.makeInterface(s, r)
		if err != nil {
			return err
		}
		c.putInterface(i)
		created = &i.NetworkInterface
		return nil
	})
	return created, err
}

// makeInterface is an interface that nothing knows of yet.
func (c *Cloud) makeInterface(s *Subnet, r NetworkInterfaceRequest) (*networkInterface, error) {
	id, random := c.nextInterface()
	addresses, err := c.freeAddresses(s, 1+r.SecondaryAddresses, random)
	if err != nil {
		return nil, err
	}
	i := &networkInterface{NetworkInterface: NetworkInterface{
		ID: id, Subnet: s.ID, Zone: s.Zone, Status: InterfaceAvailable, Type: ordinaryInterface, Description: r.Description,
		PrivateIP: addresses[0], Secondary: addresses[1:], Tags: maps.Clone(r.Tags), Created: c.clock.Now(),
	}}
	if r.Prefixes > 0 {
		if i.Prefixes, err = c.freePrefixesBeside(s, r.Prefixes, random, addresses); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// freePrefixesBeside are free prefixes that hold none of the addresses that have just been chosen.
func (c *Cloud) freePrefixesBeside(s *Subnet, n int, random *rand.Rand, chosen []netip.Addr) ([]netip.Prefix, error) {
	for _, a := range chosen {
		c.holders[a] = ""
	}
	defer func() {
		for _, a := range chosen {
			delete(c.holders, a)
		}
	}()
	return c.freePrefixes(s, n, random)
}

// addInterface adds one that the Spec says is there.
func (c *Cloud) addInterface(spec NetworkInterfaceSpec) error {
	at := slices.IndexFunc(c.state.Subnets, func(s *Subnet) bool { return s.named(spec.Subnet) })
	i, err := c.makeInterface(c.state.Subnets[at], NetworkInterfaceRequest{
		Description: spec.Description, SecondaryAddresses: spec.SecondaryAddresses, Prefixes: spec.Prefixes, Tags: spec.Tags,
	})
	if err != nil {
		return fmt.Errorf("adding an interface to the subnet %s: %w", spec.Subnet, err)
	}
	i.RequesterManaged, i.Operator = spec.RequesterManaged, spec.Operator
	if spec.InterfaceType != "" {
		i.Type = spec.InterfaceType
	}
	if spec.RequesterManaged {
		i.Status = InterfaceInUse
	}
	c.putInterface(i)
	return nil
}

// nextInterface numbers interfaces apart from everything else, so that a region's instances have the same names with and
// without others' interfaces.
func (c *Cloud) nextInterface() (id string, random *rand.Rand) {
	for {
		c.state.InterfaceSequence++
		random = c.random(fmt.Sprintf("eni/%d", c.state.InterfaceSequence))
		if id = fmt.Sprintf("eni-0%016x", random.Uint64()); c.interfaceIndex(id) < 0 {
			return id, random
		}
	}
}

func attachmentID(random *rand.Rand) string { return fmt.Sprintf("eni-attach-0%016x", random.Uint64()) }

// DeleteNetworkInterface deletes an interface that no instance has. In use, EC2 refuses it with the general
// InvalidParameterValue.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteNetworkInterface.html
func (c *Cloud) DeleteNetworkInterface(id string) error {
	return c.update(func() error {
		i, err := c.networkInterface(id)
		switch {
		case err != nil:
			return err
		case i.RequesterManaged:
			return refuse(CodeOperationNotPermitted, "You do not have permission to access the specified resource.")
		case i.Status != InterfaceAvailable:
			return refuse(CodeInvalidParameter, "Network interface '%s' is currently in use.", id)
		}
		c.dropInterface(id)
		return nil
	})
}

// AssignPrivateIPAddresses gives an interface n more secondary addresses.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssignPrivateIpAddresses.html
func (c *Cloud) AssignPrivateIPAddresses(id string, n int) (assigned []netip.Addr, err error) {
	err = c.changeInterface(id, func(i *networkInterface) error {
		s, err := c.subnet(i.Subnet)
		if err != nil {
			return err
		}
		if err := c.checkSlots(i, n); err != nil {
			return err
		}
		assigned, err = c.freeAddresses(s, n, c.addressRandom(i))
		i.Secondary = slices.Concat(i.Secondary, assigned)
		return err
	})
	return assigned, err
}

// AssignPrefixes gives an interface n more prefixes.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssignPrivateIpAddresses.html
func (c *Cloud) AssignPrefixes(id string, n int) (assigned []netip.Prefix, err error) {
	err = c.changeInterface(id, func(i *networkInterface) error {
		s, err := c.subnet(i.Subnet)
		if err != nil {
			return err
		}
		if err := c.checkSlots(i, n); err != nil {
			return err
		}
		assigned, err = c.freePrefixes(s, n, c.addressRandom(i))
		i.Prefixes = slices.Concat(i.Prefixes, assigned)
		return err
	})
	return assigned, err
}

// UnassignPrivateIPAddresses takes secondary addresses from an interface.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_UnassignPrivateIpAddresses.html
func (c *Cloud) UnassignPrivateIPAddresses(id string, addresses ...netip.Addr) error {
	return c.changeInterface(id, func(i *networkInterface) error {
		for _, a := range addresses {
			if !slices.Contains(i.Secondary, a) {
				return refuse(CodeInvalidParameter, "Some of the specified addresses are not assigned to interface %s", id)
			}
		}
		i.Secondary = slices.DeleteFunc(slices.Clone(i.Secondary), func(a netip.Addr) bool { return slices.Contains(addresses, a) })
		return nil
	})
}

// addressRandom is a source for what an interface is given next.
func (c *Cloud) addressRandom(i *networkInterface) *rand.Rand {
	c.state.InterfaceSequence++
	return c.random(fmt.Sprintf("%s/%d", i.ID, c.state.InterfaceSequence))
}

// checkSlots refuses more addresses than the type of an interface's instance allows; any type's limit is below 50.
func (c *Cloud) checkSlots(i *networkInterface, more int) error {
	limit := 50
	if i.Attachment != nil {
		if owner, err := c.instance(i.Attachment.Instance); err == nil {
			limit = owner.Capacity.IPv4AddressesPerInterface
		}
	}
	if i.slots()+more > limit {
		return refuse(CodePrivateIPLimitExceeded, "Number of private addresses will exceed limit.")
	}
	return nil
}

// TagNetworkInterface sets tags of an interface and leaves the others.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html
func (c *Cloud) TagNetworkInterface(id string, tags map[string]string) error {
	return c.changeInterface(id, func(i *networkInterface) error {
		i.Tags = maps.Clone(i.Tags)
		if i.Tags == nil {
			i.Tags = map[string]string{}
		}
		maps.Copy(i.Tags, tags)
		return nil
	})
}

// changeInterface replaces an interface by a copy that change has changed. change must not alter what the copy refers to.
func (c *Cloud) changeInterface(id string, change func(*networkInterface) error) error {
	return c.update(func() error {
		i, err := c.networkInterface(id)
		if err != nil {
			return err
		}
		changed := *i
		if err := change(&changed); err != nil {
			return err
		}
		c.putInterface(&changed)
		return nil
	})
}

func (c *Cloud) networkInterface(id string) (*networkInterface, error) {
	at := c.interfaceIndex(id)
	if at < 0 {
		return nil, refuse(CodeInterfaceNotFound, "The networkInterface ID '%s' does not exist", id)
	}
	return c.state.Interfaces[at], nil
}

func (c *Cloud) interfaceIndex(id string) int {
	return slices.IndexFunc(c.state.Interfaces, func(i *networkInterface) bool { return i.ID == id })
}
