package play

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

func (w *world) watchCloud(ctx context.Context) {
	changed := w.cloud.Subscribe(ctx)
	groups, subnets, left := groupsOf(w.cloud), subnetsOf(w.cloud), leftInterfaces(w.cloud)
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		groups = w.compareLists(groups, groupsOf(w.cloud))
		subnets = w.compareLists(subnets, subnetsOf(w.cloud))
		left = w.compareLeft(left, leftInterfaces(w.cloud))
		w.signal()
	}
}

// compareLists tells of changes to what is never removed, such as a group or a subnet.
func (w *world) compareLists(before, after []any) []any {
	for i, object := range after {
		if i < len(before) {
			w.onChange(before[i], object)
		}
	}
	return after
}

func (w *world) compareLeft(before, after map[string]*expr.Interface) map[string]*expr.Interface {
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if before[id] == nil {
			w.onChange(nil, after[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if after[id] == nil {
			w.onChange(before[id], nil)
		}
	}
	return after
}

// groupsOf is the cloud as expressions see it.
func groupsOf(c *cloud.Cloud) []any {
	byGroup := map[string][]expr.Instance{}
	for _, i := range c.Instances() {
		if i.State != cloud.Terminated {
			byGroup[i.Group] = append(byGroup[i.Group], expr.Instance{ID: i.ID, State: string(i.State), Zone: i.Zone, Node: i.NodeName})
		}
	}
	var groups []any
	for _, g := range c.Groups() {
		groups = append(groups, &expr.Group{
			Name: g.Name, Min: g.Min, Desired: g.Desired, Max: g.Max, Zones: g.Zones, Instances: byGroup[g.Name],
		})
	}
	return groups
}

func subnetsOf(c *cloud.Cloud) []any {
	var subnets []any
	for _, s := range c.Subnets() {
		subnets = append(subnets, &expr.Subnet{ID: s.ID, Name: s.Tags["Name"], Zone: s.Zone, CIDR: s.CIDR.String(), Free: s.Free})
	}
	return subnets
}

func interfacesOf(c *cloud.Cloud) []any {
	names := map[string]string{}
	for _, s := range c.Subnets() {
		names[s.ID] = s.Tags["Name"]
	}
	var interfaces []any
	for _, i := range c.NetworkInterfaces() {
		shown := &expr.Interface{
			ID: i.ID, Subnet: names[i.Subnet], Status: string(i.Status), Description: i.Description, Tags: i.Tags, Addresses: i.Addresses(),
		}
		if i.Attachment != nil {
			shown.Instance = i.Attachment.Instance
		}
		interfaces = append(interfaces, shown)
	}
	return interfaces
}

// leftInterfaces are those that the VPC CNI plugin made on instances that have ended, by ID.
func leftInterfaces(c *cloud.Cloud) map[string]*expr.Interface {
	running := map[string]bool{}
	for _, i := range c.Instances() {
		running[i.ID] = i.State != cloud.Terminated
	}
	left := map[string]*expr.Interface{}
	for _, o := range interfacesOf(c) {
		i := o.(*expr.Interface)
		if owner, made := strings.CutPrefix(i.Description, "aws-K8S-"); made && i.Status == string(cloud.InterfaceAvailable) && !running[owner] {
			left[i.ID] = i
		}
	}
	return left
}
