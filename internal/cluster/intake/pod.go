package intake

import corev1 "k8s.io/api/core/v1"

// Fields of k8s.io/api/core/v1, by generated.proto.
const (
	specVolumes        = 1
	specContainers     = 2
	specNodeName       = 10
	specHostname       = 16
	specAffinity       = 18
	specInitContainers = 20

	containerMounts = 9
	mountName       = 1
	volumeName      = 1
)

// pod shares what the pods of one template have in common.
func (in *Intake) pod(data []byte, o *corev1.Pod) error {
	p, err := cut(data, objectMeta, objectSpec, objectStatus)
	if err != nil {
		return err
	}
	defer p.done()
	if err := in.meta(p, &o.ObjectMeta, false); err != nil {
		return err
	}
	if err := in.spec(p, &o.Spec); err != nil {
		return err
	}
	return in.status(p, &o.Status)
}

func (in *Intake) spec(p *pieces, o *corev1.PodSpec) error {
	s, err := p.inside(objectSpec, specVolumes, specContainers, specNodeName, specHostname, specAffinity, specInitContainers)
	if err != nil {
		return err
	}
	defer s.done()
	if *o, err = in.specs.get(s.rest, specOf); err != nil {
		return err
	}
	o.Hostname = string(s.last(specHostname))
	if o.NodeName, err = in.words.get(s.last(specNodeName), asString); err != nil {
		return err
	}
	if len(s.values(specAffinity)) > 0 {
		if o.Affinity, err = in.affinities.get(s.joined(specAffinity), affinityOf); err != nil {
			return err
		}
	}
	if o.Volumes, err = list(s.values(specVolumes), in.volume); err != nil {
		return err
	}
	if o.InitContainers, err = list(s.values(specInitContainers), in.container); err != nil {
		return err
	}
	o.Containers, err = list(s.values(specContainers), in.container)
	return err
}

func specOf(from []byte) (corev1.PodSpec, error) {
	spec, err := as[corev1.PodSpec](from)
	for i := range spec.EphemeralContainers {
		Values{}.env(spec.EphemeralContainers[i].Env)
	}
	return spec, err
}

func affinityOf(from []byte) (*corev1.Affinity, error) {
	affinity, err := as[corev1.Affinity](from)
	return &affinity, err
}

// container shares all but what is mounted: the volume with the pod's token has a name of its own in each pod.
func (in *Intake) container(data []byte) (corev1.Container, error) {
	c, err := cut(data, containerMounts)
	if err != nil {
		return corev1.Container{}, err
	}
	defer c.done()
	o, err := in.containers.get(c.rest, containerOf)
	if err != nil {
		return o, err
	}
	o.VolumeMounts, err = list(c.values(containerMounts), in.mount)
	return o, err
}

func containerOf(from []byte) (corev1.Container, error) {
	container, err := as[corev1.Container](from)
	Values{}.env(container.Env)
	return container, err
}

func (in *Intake) mount(data []byte) (corev1.VolumeMount, error) {
	m, err := cut(data, mountName)
	if err != nil {
		return corev1.VolumeMount{}, err
	}
	defer m.done()
	o, err := in.mounts.get(m.rest, as[corev1.VolumeMount])
	if err != nil {
		return o, err
	}
	o.Name, err = in.words.get(m.last(mountName), asString)
	return o, err
}

func (in *Intake) volume(data []byte) (corev1.Volume, error) {
	v, err := cut(data, volumeName)
	if err != nil {
		return corev1.Volume{}, err
	}
	defer v.done()
	o, err := in.volumes.get(v.rest, volumeOf)
	if err != nil {
		return o, err
	}
	o.Name, err = in.words.get(v.last(volumeName), asString)
	return o, err
}

func volumeOf(from []byte) (corev1.Volume, error) {
	volume, err := as[corev1.Volume](from)
	dropClaimMeta(&volume)
	return volume, err
}

// list decodes a repeated field, nil if there is none of it.
func list[T any](values [][]byte, decode func([]byte) (T, error)) ([]T, error) {
	if len(values) == 0 {
		return nil, nil
	}
	parts := make([]T, len(values))
	for i, value := range values {
		var err error
		if parts[i], err = decode(value); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
