package vpccni

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// stage is what an agent does next with the interface that it is creating or freeing.
type stage int

const (
	idle      stage = iota
	attaching       // it is created
	modifying       // it is being attached, and does not yet end with its instance
	settingUp       // it is being attached
	deleting        // it was detached, or could not be attached
)

// job is the interface that an agent is creating or freeing: AllocENI and FreeENI of pkg/awsutils/awsutils.go. Neither is one
// call, so that an instance that ends in between leaves an interface behind.
type job struct {
	stage                        stage
	due                          time.Time
	networkInterface, attachment string
	tries                        int
}

const (
	// callTime is how long a call to EC2 takes.
	callTime = 300 * time.Millisecond
	// detachPause is between detaching an interface and the first try to delete it: FreeENI.
	detachPause = 2 * time.Second
	// The retries of deleteENI.
	firstBackoff, longestBackoff, mostTries = 500 * time.Millisecond, time.Minute, 12
)

func (a *agent) after(now time.Time, stage stage, pause time.Duration) {
	a.job.stage, a.job.due = stage, now.Add(a.pace.Real(pause))
}

// create makes an interface with n addresses for pods: createENI.
func (a *agent) create(s settings, n int, now time.Time) {
	request := cloud.NetworkInterfaceRequest{Description: descriptionPrefix + a.instance.ID, SecondaryAddresses: n, Tags: a.tags(s)}
	request.Tags[createdAtTag] = now.Format(time.RFC3339)
	for _, subnet := range a.subnets(s) {
		request.Subnet = subnet
		created, err := a.ec2.create(request)
		if err == nil {
			a.job = job{networkInterface: created.ID}
			a.after(now, attaching, callTime)
			return
		}
		if insufficient(err) {
			a.paused = now.Add(a.pace.Real(insufficientPause))
		}
	}
}

// subnets are those that an interface can be in: the instance's own, and with subnet discovery those of its zone that are tagged
// for it, the one with most free addresses first (GetVpcSubnets, isSubnetValidForENICreation).
func (a *agent) subnets(s settings) []string {
	var usable []cloud.Subnet
	for _, subnet := range a.cloud.Subnets() {
		own, tag := subnet.ID == a.instance.Subnet, subnet.Tags[subnetTag]
		if subnet.Zone != a.instance.Zone || tag == "0" || !own && (tag == "" || !s.subnetDiscovery) || tag != "" && !meantFor(subnet, s.clusterName) {
			continue
		}
		usable = append(usable, subnet)
	}
	slices.SortStableFunc(usable, func(a, b cloud.Subnet) int { return b.Free - a.Free })
	ids := make([]string, 0, len(usable))
	for _, subnet := range usable {
		ids = append(ids, subnet.ID)
	}
	return ids
}

// meantFor says whether a subnet is tagged for no cluster, or for this one too.
func meantFor(subnet cloud.Subnet, cluster string) bool {
	const prefix = "cni.networking.k8s.aws/cluster/"
	_, this := subnet.Tags[prefix+cluster]
	return cluster == "" || this || !slices.ContainsFunc(slices.Collect(maps.Keys(subnet.Tags)), func(key string) bool { return strings.HasPrefix(key, prefix) })
}

// detach begins to free an interface.
func (a *agent) detach(id, attachment string, now time.Time) {
	if err := a.ec2.detach(attachment); err != nil {
		return // tried again when the pool is looked at next
	}
	delete(a.setUp, id)
	a.job = job{networkInterface: id}
	a.after(now, deleting, detachPause)
}

// work takes the job's next step.
func (a *agent) work(now time.Time) {
	switch j := &a.job; j.stage {
	case attaching:
		var err error
		if j.attachment, err = a.ec2.attach(j.networkInterface, a.instance.ID, a.freeDevice()); err != nil {
			a.after(now, deleting, 0)
			return
		}
		a.after(now, modifying, callTime)
	case modifying:
		if err := a.ec2.deleteOnTermination(j.networkInterface, j.attachment); err != nil {
			a.detach(j.networkInterface, j.attachment, now)
			return
		}
		a.after(now, settingUp, callTime)
	case settingUp:
		a.after(now, settingUp, callTime)
		for _, i := range a.attached() {
			if i.ID == j.networkInterface && i.Status == cloud.InterfaceInUse {
				a.setUp[i.ID], a.job = now, job{}
			}
		}
	case deleting:
		err := a.ec2.delete(j.networkInterface)
		if j.tries++; err == nil || cloud.HasCode(err, cloud.CodeInterfaceNotFound) || j.tries == mostTries {
			a.job = job{}
			return
		}
		a.after(now, deleting, min(firstBackoff<<(j.tries-1), longestBackoff))
	}
}

// freeDevice is the lowest device index that no interface of the instance has.
func (a *agent) freeDevice() int {
	taken := map[int]bool{}
	for _, i := range a.attached() {
		taken[i.Attachment.DeviceIndex] = true
	}
	device := 1
	for taken[device] {
		device++
	}
	return device
}
