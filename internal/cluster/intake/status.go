package intake

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

	conditionProbe      = 3
	conditionTransition = 4

	runState     = 2
	runLastState = 3
	runID        = 8
)

func (in *Intake) status(p *pieces, o *corev1.PodStatus) error {
	s, err := p.inside(objectStatus, statusConditions, statusHostIP, statusPodIP, statusStartTime, statusContainers, statusInitContainers, statusPodIPs, statusHostIPs)
	if err != nil {
		return err
	}
	defer s.done()
	if *o, err = in.statuses.get(s.rest, as[corev1.PodStatus]); err != nil {
		return err
	}
	if o.HostIP, err = in.words.get(s.last(statusHostIP), asString); err != nil {
		return err
	}
	o.PodIP = string(s.last(statusPodIP))
	if len(s.values(statusStartTime)) > 0 {
		o.StartTime = &metav1.Time{}
		if err := o.StartTime.Unmarshal(s.joined(statusStartTime)); err != nil {
			return err
		}
	}
	if o.PodIPs, err = list(s.values(statusPodIPs), as[corev1.PodIP]); err != nil {
		return err
	}
	if o.HostIPs, err = list(s.values(statusHostIPs), as[corev1.HostIP]); err != nil {
		return err
	}
	if o.Conditions, err = list(s.values(statusConditions), in.condition); err != nil {
		return err
	}
	if o.InitContainerStatuses, err = list(s.values(statusInitContainers), in.run); err != nil {
		return err
	}
	o.ContainerStatuses, err = list(s.values(statusContainers), in.run)
	return err
}

// condition shares all but the times.
func (in *Intake) condition(data []byte) (corev1.PodCondition, error) {
	c, err := cut(data, conditionProbe, conditionTransition)
	if err != nil {
		return corev1.PodCondition{}, err
	}
	defer c.done()
	o, err := in.conditions.get(c.rest, as[corev1.PodCondition])
	if err != nil {
		return o, err
	}
	if err := o.LastProbeTime.Unmarshal(c.joined(conditionProbe)); err != nil {
		return o, err
	}
	return o, o.LastTransitionTime.Unmarshal(c.joined(conditionTransition))
}

// run shares all but the container's ID and what became of it when.
func (in *Intake) run(data []byte) (corev1.ContainerStatus, error) {
	r, err := cut(data, runState, runLastState, runID)
	if err != nil {
		return corev1.ContainerStatus{}, err
	}
	defer r.done()
	o, err := in.runs.get(r.rest, as[corev1.ContainerStatus])
	if err != nil {
		return o, err
	}
	o.ContainerID = string(r.last(runID))
	if err := o.State.Unmarshal(r.joined(runState)); err != nil {
		return o, err
	}
	return o, o.LastTerminationState.Unmarshal(r.joined(runLastState))
}
