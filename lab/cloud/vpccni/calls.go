package vpccni

import (
	"net/netip"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// ec2 is the plugin's calls that change something. Each may be refused because the account has made too many.
type ec2 struct {
	cloud *cloud.Cloud
	admit func(action string) error
}

func (e ec2) call(action string, do func() error) error {
	if e.admit != nil {
		if err := e.admit(action); err != nil {
			return err
		}
	}
	return do()
}

func (e ec2) create(r cloud.NetworkInterfaceRequest) (created *cloud.NetworkInterface, err error) {
	err = e.call("CreateNetworkInterface", func() error {
		created, err = e.cloud.CreateNetworkInterface(r)
		return err
	})
	return created, err
}

func (e ec2) attach(id, instance string, device int) (attachment string, err error) {
	err = e.call("AttachNetworkInterface", func() error {
		attachment, err = e.cloud.AttachNetworkInterface(id, instance, device)
		return err
	})
	return attachment, err
}

func (e ec2) deleteOnTermination(id, attachment string) error {
	return e.call("ModifyNetworkInterfaceAttribute", func() error { return e.cloud.SetDeleteOnTermination(id, attachment, true) })
}

func (e ec2) detach(attachment string) error {
	return e.call("DetachNetworkInterface", func() error { return e.cloud.DetachNetworkInterface(attachment) })
}

func (e ec2) delete(id string) error {
	return e.call("DeleteNetworkInterface", func() error { return e.cloud.DeleteNetworkInterface(id) })
}

func (e ec2) assign(id string, n int) error {
	return e.call("AssignPrivateIpAddresses", func() error {
		_, err := e.cloud.AssignPrivateIPAddresses(id, n)
		return err
	})
}

func (e ec2) unassign(id string, addresses ...netip.Addr) error {
	return e.call("UnassignPrivateIpAddresses", func() error { return e.cloud.UnassignPrivateIPAddresses(id, addresses...) })
}

func (e ec2) tag(id string, tags map[string]string) error {
	return e.call("CreateTags", func() error { return e.cloud.TagNetworkInterface(id, tags) })
}
