package cloud

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// InstanceState is the state of an instance, with EC2's names.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
type InstanceState string

// The states of an instance.
const (
	Pending      InstanceState = "pending"
	Running      InstanceState = "running"
	Stopping     InstanceState = "stopping"
	Stopped      InstanceState = "stopped"
	ShuttingDown InstanceState = "shutting-down"
	Terminated   InstanceState = "terminated"
)

// How long EC2 and a machine's operating system take, in scenario time.
const (
	defaultBootDelay = 40 * time.Second
	pendingTime      = 10 * time.Second
	shutdownTime     = 30 * time.Second
	rememberedTime   = time.Hour // a terminated instance is still described for about an hour
)

// Instance is a machine of the cloud.
type Instance struct {
	ID string `json:"id"`
	// Group launched the instance, whether or not it still belongs to it.
	Group string `json:"group"`
	// Detached instances were left behind by a rotation: the group no longer counts or replaces them.
	Detached bool          `json:"detached,omitempty"`
	Zone     string        `json:"zone"`
	Type     string        `json:"type"`
	Capacity InstanceType  `json:"capacity"`
	NodeName string        `json:"nodeName"`
	State    InstanceState `json:"state"`
	// Booted is true once a running instance's operating system is up and its kubelet may register.
	Booted bool `json:"booted,omitempty"`
	// Impaired is what EC2's status checks say of an instance that does not answer; its State stays running.
	Impaired bool `json:"impaired,omitempty"`
	// Reboots is how often the instance was requested to restart.
	Reboots   int    `json:"reboots,omitempty"`
	PrivateIP string `json:"privateIP"`
	// Subnet is the ID of the primary interface's; empty where the cloud does not know the instance's network.
	Subnet        string            `json:"subnet,omitempty"`
	LaunchVersion int               `json:"launchVersion"`
	Launched      time.Time         `json:"launched"`
	Labels        map[string]string `json:"labels,omitempty"`
	Taints        []corev1.Taint    `json:"taints,omitempty"`
}

// instance is an Instance and the cloud's own state of it.
type instance struct {
	Instance
	BootDelay time.Duration `json:"bootDelay"`
	// Due is when the instance changes by itself; zero is never.
	Due time.Time `json:"due,omitzero"`
	// Balancing marks one more than desired, launched into a zone that holds too few and not up yet.
	Balancing bool `json:"balancing,omitempty"`
	// Leaving is what a rotation does with an old instance once the new ones run.
	Leaving OldInstances `json:"leaving,omitempty"`
}

// Instances are all instances that the cloud still describes, terminated ones of the last hour included, oldest first.
func (c *Cloud) Instances() []Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := make([]Instance, 0, len(c.state.Instances))
	for _, i := range c.state.Instances {
		shown = append(shown, c.show(i))
	}
	return shown
}

// Instance finds an instance by its ID.
func (c *Cloud) Instance(id string) (Instance, bool) {
	return c.find(func(i *instance) bool { return i.ID == id })
}

// InstanceByNode finds the instance that registers as a node of that name; of several that had its address in turn, one that has
// not ended.
func (c *Cloud) InstanceByNode(name string) (Instance, bool) {
	if i, found := c.find(func(i *instance) bool { return i.NodeName == name && i.State != Terminated }); found {
		return i, true
	}
	return c.find(func(i *instance) bool { return i.NodeName == name })
}

func (c *Cloud) find(match func(*instance) bool) (Instance, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.state.Instances, match)
	if at < 0 {
		return Instance{}, false
	}
	return c.show(c.state.Instances[at]), true
}

func (c *Cloud) show(i *instance) Instance {
	shown := i.Instance
	shown.Labels = maps.Clone(i.Labels)
	shown.Taints = slices.Clone(i.Taints)
	shown.Impaired = i.Impaired || c.lost(i.Zone)
	return shown
}

// SetImpaired sets whether a machine fails its status checks. Its state stays running, as in EC2.
func (c *Cloud) SetImpaired(id string, impaired bool) error {
	return c.update(func() error {
		i, err := c.instance(id)
		if err != nil {
			return err
		}
		i.Impaired = impaired
		return nil
	})
}

// Terminate ends an instance. Its group launches another in its place, or with decrementDesired wants one fewer. An
// instance that has ended already is no error.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
func (c *Cloud) Terminate(id string, decrementDesired bool) error {
	return c.update(func() error {
		i, err := c.instance(id)
		if err != nil {
			return err
		}
		if !i.alive() {
			return nil
		}
		if decrementDesired {
			if err := c.decrementDesired(i); err != nil {
				return err
			}
		}
		c.terminate(i)
		return nil
	})
}

// StopInstance powers an instance down and keeps it: address, node name and attached volumes stay its own. Its group
// keeps counting it: Auto Scaling's health check, which would replace it, is not modelled.
func (c *Cloud) StopInstance(id string) error {
	return c.update(func() error {
		i, err := c.instance(id)
		if err != nil {
			return err
		}
		switch i.State {
		case Running, Stopping, Stopped:
			c.stop(i)
			return nil
		}
		return refuse(CodeIncorrectInstanceState, "This instance '%s' is not in a state from which it can be stopped.", id)
	})
}

// StartInstance boots a stopped instance again.
func (c *Cloud) StartInstance(id string) error {
	return c.update(func() error {
		i, err := c.instance(id)
		if err != nil {
			return err
		}
		if i.State == Pending || i.State == Running {
			return nil
		}
		if i.State != Stopped {
			return refuse(CodeIncorrectInstanceState, "The instance '%s' is not in a state from which it can be started.", id)
		}
		if c.lost(i.Zone) {
			return refuse(CodeInsufficientCapacity, "We currently do not have sufficient %s capacity in the Availability Zone you requested (%s).", i.Type, i.Zone)
		}
		c.boot(i)
		return nil
	})
}

func (c *Cloud) instance(id string) (*instance, error) {
	at := slices.IndexFunc(c.state.Instances, func(i *instance) bool { return i.ID == id })
	if at < 0 {
		return nil, refuse(CodeInstanceNotFound, "The instance ID '%s' does not exist", id)
	}
	return c.state.Instances[at], nil
}

// alive instances have not begun to end.
func (i *instance) alive() bool { return i.State != ShuttingDown && i.State != Terminated }
