package agreement

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deviceDriver offers devices of some nodes, which pods ask for by a resource claim.
const deviceDriver = "devices.example.com"

func (w *world) addDevices() {
	w.add(&resourcev1.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: deviceDriver},
		Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
			{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", deviceDriver)}},
		}},
	})
	for _, node := range pickSome(w.random, 60, w.nodes...) {
		slice := &resourcev1.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{Name: node.Name},
			Spec: resourcev1.ResourceSliceSpec{
				Driver: deviceDriver, NodeName: &node.Name,
				Pool: resourcev1.ResourcePool{Name: node.Name, ResourceSliceCount: 1},
			},
		}
		for i := range w.between(1, 2) {
			slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("device-%d", i)})
		}
		w.add(slice)
	}
}

// device gives a pod a claim to devices, if there are any.
func (w *world) device(pod *corev1.Pod) {
	if !w.devices {
		return
	}
	count := int64(pick(w.random, 1, 1, 2))
	claim := &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name: "device", Exactly: &resourcev1.ExactDeviceRequest{
				DeviceClassName: deviceDriver, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
			},
		}}}},
	}
	w.add(claim)
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "device", ResourceClaimName: &claim.Name}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "device"}}
}
