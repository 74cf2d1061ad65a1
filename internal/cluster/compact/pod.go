package compact

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

// pod interns what the pods of one template have in common.
func (c *Codec) pod(data []byte, o *corev1.Pod) error {
	p, err := split(data, objectMeta, objectSpec, objectStatus)
	if err != nil {
		return err
	}
	defer p.release()
	if err := c.meta(p, &o.ObjectMeta, false); err != nil {
		return err
	}
	if err := c.spec(p, &o.Spec); err != nil {
		return err
	}
	return c.status(p, &o.Status)
}

func (c *Codec) spec(p *splitMessage, o *corev1.PodSpec) error {
	s, err := p.split(objectSpec, specVolumes, specContainers, specNodeName, specHostname, specAffinity, specInitContainers)
	if err != nil {
		return err
	}
	defer s.release()
	if err := c.specs.get(s.rest, o, specOf); err != nil {
		return err
	}
	o.Hostname = string(s.last(specHostname))
	if err := c.strings.get(s.last(specNodeName), &o.NodeName, asString); err != nil {
		return err
	}
	if len(s.values(specAffinity)) > 0 {
		if err := c.affinities.get(s.merged(specAffinity), &o.Affinity, affinityOf); err != nil {
			return err
		}
	}
	if o.Volumes, err = decodeList(s.values(specVolumes), c.volume); err != nil {
		return err
	}
	if o.InitContainers, err = decodeList(s.values(specInitContainers), c.container); err != nil {
		return err
	}
	o.Containers, err = decodeList(s.values(specContainers), c.container)
	return err
}

func specOf(from []byte) (corev1.PodSpec, error) {
	spec, err := unmarshal[corev1.PodSpec](from)
	for i := range spec.EphemeralContainers {
		Digester{}.digestEnv(spec.EphemeralContainers[i].Env)
	}
	return spec, err
}

func affinityOf(from []byte) (*corev1.Affinity, error) {
	affinity, err := unmarshal[corev1.Affinity](from)
	return &affinity, err
}

// container interns all but the volume mounts: the name of the projected token volume differs between pods.
func (c *Codec) container(o *corev1.Container, data []byte) error {
	m, err := split(data, containerMounts)
	if err != nil {
		return err
	}
	defer m.release()
	if err := c.containers.get(m.rest, o, containerOf); err != nil {
		return err
	}
	o.VolumeMounts, err = decodeList(m.values(containerMounts), c.mount)
	return err
}

func containerOf(from []byte) (corev1.Container, error) {
	container, err := unmarshal[corev1.Container](from)
	Digester{}.digestEnv(container.Env)
	return container, err
}

func (c *Codec) mount(o *corev1.VolumeMount, data []byte) error {
	m, err := split(data, mountName)
	if err != nil {
		return err
	}
	defer m.release()
	if err := c.mounts.get(m.rest, o, unmarshal[corev1.VolumeMount]); err != nil {
		return err
	}
	return c.strings.get(m.last(mountName), &o.Name, asString)
}

func (c *Codec) volume(o *corev1.Volume, data []byte) error {
	v, err := split(data, volumeName)
	if err != nil {
		return err
	}
	defer v.release()
	if err := c.volumes.get(v.rest, o, volumeOf); err != nil {
		return err
	}
	return c.strings.get(v.last(volumeName), &o.Name, asString)
}

func volumeOf(from []byte) (corev1.Volume, error) {
	volume, err := unmarshal[corev1.Volume](from)
	stripClaimMeta(&volume)
	return volume, err
}

// decodeList decodes a repeated field; nil if there are none.
func decodeList[T any](values [][]byte, decode func(*T, []byte) error) ([]T, error) {
	if len(values) == 0 {
		return nil, nil
	}
	parts := make([]T, len(values))
	for i, value := range values {
		if err := decode(&parts[i], value); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
