package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func testMachine(name string) Machine {
	return Machine{NodeName: name, InternalIP: "10.0.1.1", CPU: resource.MustParse("4"), Memory: resource.MustParse("16Gi")}
}

// testFleet is a fleet with one machine, "a", on a fake API, in a bubble of fake time.
type testFleet struct {
	*testing.T
	*fake.Clientset
	fleet   *Fleet
	close   func()
	failing atomic.Bool // the API answers nothing but errors
}

func newTestFleet(t *testing.T, test func(*testFleet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &testFleet{T: t, Clientset: fake.NewClientset()}
		s.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
			return s.failing.Load(), nil, errors.New("connection refused")
		})
		s.open(testMachine("a"))
		test(s)
		s.close()
	})
}

// open starts a fleet, as a lab that starts.
func (s *testFleet) open(m Machine) {
	ctx, cancel := context.WithCancel(s.Context())
	s.fleet = newFleet(s.Clientset, Options{})
	done := make(chan error, 1)
	go func() { done <- s.fleet.Run(ctx) }()
	s.fleet.Boot(m)
	s.close = func() {
		cancel()
		if err := <-done; err != nil {
			s.Errorf("running the fleet: %v", err)
		}
	}
}

// pass lets time go by.
func (s *testFleet) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (s *testFleet) node() *corev1.Node {
	n, err := s.CoreV1().Nodes().Get(s.Context(), "a", metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// pod is nil if there is none.
func (s *testFleet) pod(name string) *corev1.Pod {
	p, err := s.CoreV1().Pods("ns").Get(s.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return p
}

func (s *testFleet) add(name string, options ...option) {
	s.Helper()
	options = append(options, func(p *corev1.Pod) { p.Name, p.UID = name, types.UID(name) })
	if _, err := s.CoreV1().Pods("ns").Create(s.Context(), newPod(options...), metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
}

func (s *testFleet) phase(name string) corev1.PodPhase {
	if p := s.pod(name); p != nil {
		return p.Status.Phase
	}
	return ""
}

func (s *testFleet) delete(name string) {
	s.Helper()
	p := s.pod(name)
	deleted(30)(p)
	if _, err := s.CoreV1().Pods("ns").Update(s.Context(), p, metav1.UpdateOptions{}); err != nil {
		s.Fatal(err)
	}
}

func (s *testFleet) become(state State) {
	s.Helper()
	if err := s.fleet.SetState("a", state); err != nil {
		s.Fatal(err)
	}
}

// writes counts what was asked of the API with a verb for a resource since the last call; "" is any write.
func (s *testFleet) writes(verb, resource string) int {
	defer s.ClearActions()
	n := 0
	for _, a := range s.Actions() {
		read := slices.Contains([]string{"get", "list", "watch"}, a.GetVerb())
		if !read && (verb == "" || a.Matches(verb, resource) || a.GetVerb() == verb && a.GetResource().Resource == resource) {
			n++
		}
	}
	return n
}

func TestRegistration(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.pass(time.Second)
		if r := nodeCondition(&s.node().Status, corev1.NodeReady); r != corev1.ConditionTrue {
			t.Errorf("Ready is %s", r)
		}
		csi, err := s.StorageV1().CSINodes().Get(s.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d := csi.Spec.Drivers[0]; d.Name != driverEBS || *d.Allocatable.Count != 25 || d.TopologyKeys[0] != corev1.LabelTopologyZone {
			t.Errorf("first driver is %v", d)
		}
		lease, err := s.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(s.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if *lease.Spec.HolderIdentity != "a" || *lease.Spec.LeaseDurationSeconds != 40 || lease.OwnerReferences[0].Name != "a" {
			t.Errorf("lease is %v", lease)
		}
	})
}

func TestHeartbeats(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.pass(time.Minute)
		s.writes("", "")
		s.pass(100 * time.Second)
		if n := s.writes("update", "leases"); n != 10 {
			t.Errorf("%d leases in 100 s, want 10", n)
		}
		s.pass(50 * time.Minute)
		if n := s.writes("patch", "nodes"); n < 9 || n > 11 {
			t.Errorf("%d node statuses in 50 minutes, want one every 5", n)
		}
	})
}

// An API server that takes three seconds for each status of a pod does not make the node unreachable.
func TestHeartbeatsWhilePodsAreWritten(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.pass(time.Minute)
		const pods, each = 30, 3 * time.Second
		s.become(CutOff)
		for i := range pods {
			s.add(fmt.Sprintf("pod-%d", i))
		}
		written, longest, renewed := 0, time.Duration(0), time.Now()
		s.PrependReactor("patch", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			<-time.After(each)
			written++
			return false, nil, nil
		})
		s.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			longest, renewed = max(longest, time.Since(renewed)), time.Now()
			return false, nil, nil
		})
		s.become(On)
		s.pass(5 * time.Minute)
		if written < pods {
			t.Fatalf("%d statuses were written, want %d or more", written, pods)
		}
		if longest > renewInterval+each {
			t.Errorf("the lease was not renewed for %s, want %s at most", longest, renewInterval+each)
		}
	})
}

func TestHeartbeatJitter(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		for _, name := range []string{"b", "c", "d", "e"} {
			s.fleet.Boot(testMachine(name))
		}
		s.pass(time.Minute)
		seconds := map[int64]bool{}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			lease, err := s.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(s.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			seconds[lease.Spec.RenewTime.UnixMilli()] = true
		}
		if len(seconds) != 5 {
			t.Errorf("five machines that started together beat at %d moments", len(seconds))
		}
	})
}

func TestDeletedNodeRegistersAfterRestart(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.pass(time.Minute)
		if err := s.CoreV1().Nodes().Delete(s.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := s.CoordinationV1().Leases(corev1.NamespaceNodeLease).Delete(s.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		s.ClearActions()
		s.pass(10 * time.Minute)
		if n := s.writes("create", "nodes") + s.writes("create", "leases"); n != 0 {
			t.Errorf("the running kubelet made %d objects again", n)
		}
		s.become(KubeletDown)
		s.become(On)
		s.pass(time.Second)
		s.node()
	})
}

// What a machine that has failed for ten minutes has written, and what its pods say then and ten seconds after it is back.
func TestStates(t *testing.T) {
	tests := map[State]struct {
		work, server string // "phase/restarts"
	}{
		CutOff:      {"Succeeded/0", "Running/0"},
		KubeletDown: {"Succeeded/0", "Running/0"},
		Off:         {"Failed/0", "Running/1"},
	}
	for state, test := range tests {
		t.Run(string(state), func(t *testing.T) {
			newTestFleet(t, func(s *testFleet) {
				s.add("work", policy(corev1.RestartPolicyNever), does("run-for", "2m"))
				s.add("server")
				s.add("doomed")
				s.add("forced")
				s.pass(time.Minute)
				s.become(state)
				s.ClearActions()
				s.delete("doomed")
				if err := s.CoreV1().Pods("ns").Delete(s.Context(), "forced", metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				s.ClearActions()
				s.pass(10 * time.Minute)
				if n := s.writes("", ""); n != 0 {
					t.Errorf("%d writes", n)
				}
				if work, doomed := s.phase("work"), s.phase("doomed"); work != corev1.PodRunning || doomed != corev1.PodRunning {
					t.Errorf("the API says work is %s, doomed %s", work, doomed)
				}
				if n := len(s.fleet.kubelet("a").pods); n != 4 {
					t.Errorf("%d pods on the machine, want those it had", n)
				}
				s.become(On)
				s.pass(10 * time.Second)
				says := func(name string) string {
					p := s.pod(name)
					return fmt.Sprintf("%s/%d", p.Status.Phase, p.Status.ContainerStatuses[0].RestartCount)
				}
				if work, server := says("work"), says("server"); work != test.work || server != test.server {
					t.Errorf("back, work is %s, the server %s; want %s and %s", work, server, test.work, test.server)
				}
				if s.pod("doomed") != nil {
					t.Error("the deleted pod still hangs in Terminating")
				}
				if n := len(s.fleet.kubelet("a").pods); n != 2 {
					t.Errorf("%d pods on the machine, want 2", n)
				}
				end := s.pod("work").Status.ContainerStatuses[0].State.Terminated
				if ran := end.FinishedAt.Sub(end.StartedAt.Time); state != Off && ran != 2*time.Minute {
					t.Errorf("the work is said to have run for %s", ran)
				}
			})
		})
	}
}

func TestContainerRestartsByState(t *testing.T) {
	for state, want := range map[State]int32{CutOff: 4, KubeletDown: 1} {
		t.Run(string(state), func(t *testing.T) {
			newTestFleet(t, func(s *testFleet) {
				s.add("p", does("run-for", "1m", "exit-code", "1"))
				s.pass(30 * time.Second)
				s.become(state)
				s.pass(5 * time.Minute)
				s.become(On)
				s.pass(0)
				if n := s.pod("p").Status.ContainerStatuses[0].RestartCount; n != want {
					t.Errorf("%d restarts, want %d", n, want)
				}
			})
		})
	}
}

func TestSucceededBeforePowerOff(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.add("work", policy(corev1.RestartPolicyNever), does("run-for", "1m"))
		s.pass(30 * time.Second)
		s.become(KubeletDown)
		s.pass(5 * time.Minute)
		s.become(Off)
		s.pass(5 * time.Minute)
		s.become(On)
		s.pass(time.Second)
		if s.phase("work") != corev1.PodSucceeded {
			t.Errorf("the work is %s", s.phase("work"))
		}
	})
}

func TestLinkDown(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.add("p")
		s.pass(time.Minute)
		boot := s.node().Status.NodeInfo.BootID
		s.become(LinkDown)
		s.add("q")
		s.pass(10 * time.Minute)
		if s.phase("p") != corev1.PodRunning || s.phase("q") != corev1.PodRunning || nodeCondition(&s.node().Status, corev1.NodeReady) != corev1.ConditionTrue {
			t.Errorf("the pods are %s and %s, and Ready is %s", s.phase("p"), s.phase("q"), nodeCondition(&s.node().Status, corev1.NodeReady))
		}
		if s.node().Status.NodeInfo.BootID != boot {
			t.Error("it was rebooted by it")
		}
		s.become(Off)
		s.become(On)
		if state, _ := s.fleet.State("a"); state != On {
			t.Errorf("after a reboot it is %s, want its link up", state)
		}
	})
}

func TestNoAddresses(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.add("p")
		s.pass(time.Minute)
		s.become(NoAddresses)
		s.add("q")
		s.add("host", func(p *corev1.Pod) { p.Spec.HostNetwork = true })
		s.pass(time.Minute)
		for name, want := range map[string]corev1.PodPhase{"p": corev1.PodRunning, "q": corev1.PodPending, "host": corev1.PodRunning} {
			if s.phase(name) != want {
				t.Errorf("pod %s is %s, want %s", name, s.phase(name), want)
			}
		}
		s.become(On)
		s.pass(time.Minute)
		if s.phase("q") != corev1.PodRunning {
			t.Errorf("with addresses the pod is %s", s.phase("q"))
		}
	})
}

func TestRebootChangesBootID(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		ids := map[string]bool{}
		for range 3 {
			s.pass(time.Minute)
			ids[s.node().Status.NodeInfo.BootID] = true
			s.become(Off)
			s.become(On)
		}
		if len(ids) != 3 {
			t.Errorf("three boots have the ids %v", ids)
		}
	})
}

func TestRemovedMachine(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.add("p")
		s.pass(time.Minute)
		s.fleet.Remove("a")
		s.ClearActions()
		s.delete("p")
		s.ClearActions()
		s.pass(time.Hour)
		if n := s.writes("", ""); n != 0 {
			t.Errorf("%d writes", n)
		}
		if _, ok := s.fleet.State("a"); ok {
			t.Error("it still has a state")
		}
	})
}

// A lab that starts again finds the Node and its pods: the same machine goes on, another under the same name does not.
func TestResume(t *testing.T) {
	for name, test := range map[string]struct {
		machine  func(*Machine)
		restarts int32
	}{
		"the same machine":     {func(*Machine) {}, 0},
		"another, of its name": {func(m *Machine) { m.InstanceID = "other" }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			newTestFleet(t, func(s *testFleet) {
				s.add("p", inits(prepare))
				s.add("done", policy(corev1.RestartPolicyNever), does("run-for", "1s"))
				s.pass(time.Minute)
				before, boot := s.pod("p").Status, s.node().Status.NodeInfo.BootID
				s.close()
				m := testMachine("a")
				test.machine(&m)
				s.open(m)
				s.pass(time.Minute)
				after := s.pod("p").Status
				if c := after.ContainerStatuses[0]; c.RestartCount != test.restarts || c.State.Running == nil {
					t.Errorf("%d restarts, want %d: %v", c.RestartCount, test.restarts, c)
				}
				if same := after.PodIP == before.PodIP; same != (test.restarts == 0) {
					t.Errorf("the pod's address was %s, is %s", before.PodIP, after.PodIP)
				}
				if same := s.node().Status.NodeInfo.BootID == boot; same != (test.restarts == 0) {
					t.Errorf("same boot id: %v", same)
				}
				if s.phase("done") != corev1.PodSucceeded {
					t.Errorf("work that was done is %s", s.phase("done"))
				}
			})
		})
	}
}

func TestRebootReevaluatesVolumes(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		volume(s, "v")
		s.add("p", claiming("v"))
		s.pass(11 * time.Second)
		name := corev1.UniqueVolumeName("kubernetes.io/csi/" + driverEBS + "^v")
		if !slices.Equal(s.node().Status.VolumesInUse, []corev1.UniqueVolumeName{name}) {
			t.Fatalf("volumes in use are %v", s.node().Status.VolumesInUse)
		}
		n := s.node()
		n.Status.VolumesAttached = []corev1.AttachedVolume{{Name: name}}
		if _, err := s.CoreV1().Nodes().UpdateStatus(s.Context(), n, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		s.pass(3 * time.Second)
		if s.phase("p") != corev1.PodRunning {
			t.Fatalf("with its volume the pod is %s", s.phase("p"))
		}
		s.become(Off)
		s.pass(time.Minute)
		s.become(On)
		s.pass(11 * time.Second)
		if !slices.Equal(s.node().Status.VolumesInUse, []corev1.UniqueVolumeName{name}) || s.phase("p") != corev1.PodRunning {
			t.Errorf("rebooted, volumes in use are %v and the pod %s", s.node().Status.VolumesInUse, s.phase("p"))
		}
		s.become(Off)
		if err := s.CoreV1().Pods("ns").Delete(s.Context(), "p", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		s.pass(time.Minute)
		if len(s.node().Status.VolumesInUse) != 1 {
			t.Error("a dead machine let its volume go")
		}
		s.become(On)
		s.pass(11 * time.Second)
		if v := s.node().Status.VolumesInUse; len(v) != 0 {
			t.Errorf("its pod is gone, but %v are in use", v)
		}
	})
}

func volume(s *testFleet, name string) {
	s.Helper()
	_, err := s.CoreV1().PersistentVolumes().Create(s.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{
			CSI: &corev1.CSIPersistentVolumeSource{Driver: driverEBS, VolumeHandle: name},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	_, err = s.CoreV1().PersistentVolumeClaims("ns").Create(s.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"},
		Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: name}, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound},
	}, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
}

func claiming(name string) option {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}}}
	}
}

func TestAPIErrorsAreRetried(t *testing.T) {
	newTestFleet(t, func(s *testFleet) {
		s.pass(time.Minute)
		s.failing.Store(true)
		s.pass(time.Minute)
		s.failing.Store(false)
		s.writes("", "")
		s.pass(8 * time.Second)
		if n := s.writes("update", "leases"); n == 0 {
			t.Error("no lease within eight seconds of the API's return")
		}
	})
}

func TestSetStateInvalid(t *testing.T) {
	f := newFleet(fake.NewClientset(), Options{})
	f.Boot(testMachine("a"))
	if err := f.SetState("a", "asleep"); err == nil {
		t.Error("took a state that is none")
	}
	if err := f.SetState("b", Off); err == nil {
		t.Error("took a machine that is none")
	}
	if s, ok := f.State("a"); s != On || !ok {
		t.Errorf("state is %s", s)
	}
}
