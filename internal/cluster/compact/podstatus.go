package compact

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fields of k8s.io/api/core/v1, by generated.proto.
const (
	statusConditions     = 2
	statusHostIP         = 5
	statusPodIP          = 6
	statusStartTime      = 7
	statusContainers     = 8
	statusInitContainers = 10
	statusPodIPs         = 12
	statusHostIPs        = 16

	conditionLastProbe  = 3
	conditionTransition = 4

	containerStatusState     = 2
	containerStatusLastState = 3
	containerStatusID        = 8
)

func (c *Codec) status(p *splitMessage, o *corev1.PodStatus) error {
	s, err := p.split(objectStatus, statusConditions, statusHostIP, statusPodIP, statusStartTime, statusContainers, statusInitContainers, statusPodIPs, statusHostIPs)
	if err != nil {
		return err
	}
	defer s.release()
	if err := c.statuses.get(s.rest, o, unmarshal[corev1.PodStatus]); err != nil {
		return err
	}
	if err := c.strings.get(s.last(statusHostIP), &o.HostIP, asString); err != nil {
		return err
	}
	o.PodIP = string(s.last(statusPodIP))
	if len(s.values(statusStartTime)) > 0 {
		o.StartTime = &metav1.Time{}
		if err := o.StartTime.Unmarshal(s.merged(statusStartTime)); err != nil {
			return err
		}
	}
	if o.PodIPs, err = decodeList(s.values(statusPodIPs), (*corev1.PodIP).Unmarshal); err != nil {
		return err
	}
	if err := c.hostIPs.get(s.raw(statusHostIPs), &o.HostIPs, hostIPsOf); err != nil {
		return err
	}
	if o.Conditions, err = decodeList(s.values(statusConditions), c.condition); err != nil {
		return err
	}
	if o.InitContainerStatuses, err = decodeList(s.values(statusInitContainers), c.containerStatus); err != nil {
		return err
	}
	o.ContainerStatuses, err = decodeList(s.values(statusContainers), c.containerStatus)
	return err
}

func hostIPsOf(fields []byte) ([]corev1.HostIP, error) {
	status, err := unmarshal[corev1.PodStatus](fields)
	return status.HostIPs, err
}

// condition interns all but the times.
func (c *Codec) condition(o *corev1.PodCondition, data []byte) error {
	m, err := split(data, conditionLastProbe, conditionTransition)
	if err != nil {
		return err
	}
	defer m.release()
	if err := c.conditions.get(m.rest, o, unmarshal[corev1.PodCondition]); err != nil {
		return err
	}
	if err := o.LastProbeTime.Unmarshal(m.merged(conditionLastProbe)); err != nil {
		return err
	}
	return o.LastTransitionTime.Unmarshal(m.merged(conditionTransition))
}

// containerStatus interns all but the container's ID and its states, which have times.
func (c *Codec) containerStatus(o *corev1.ContainerStatus, data []byte) error {
	r, err := split(data, containerStatusState, containerStatusLastState, containerStatusID)
	if err != nil {
		return err
	}
	defer r.release()
	if err := c.containerStatuses.get(r.rest, o, unmarshal[corev1.ContainerStatus]); err != nil {
		return err
	}
	o.ContainerID = string(r.last(containerStatusID))
	if err := o.State.Unmarshal(r.merged(containerStatusState)); err != nil {
		return err
	}
	return o.LastTerminationState.Unmarshal(r.merged(containerStatusLastState))
}
