package inprocess

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/pace"
)

// settings are what components would run with.
type settings struct {
	MonitorGrace, MonitorPeriod, AttachDetachSync, BinderSync time.Duration
	EvictionRate                                              float32
	ForceDetach, DetachLoop                                   time.Duration
	JobBackOff, LongestJobBackOff                             time.Duration
	JobAPIBackOff, LongestJobAPIBackOff                       time.Duration
}

func settingsOf(t *testing.T, o controlplane.Options) settings {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	p, err := newLocal(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.End(); err != nil {
			t.Error(err)
		}
	}()
	kcm, err := p.controllerManagerOptions()
	if err != nil {
		t.Fatal(err)
	}
	timers := attachdetach.DefaultTimerConfig
	return settings{
		MonitorGrace:     kcm.NodeLifecycleController.NodeMonitorGracePeriod.Duration,
		MonitorPeriod:    kcm.KubeCloudShared.NodeMonitorPeriod.Duration,
		EvictionRate:     kcm.NodeLifecycleController.NodeEvictionRate,
		AttachDetachSync: kcm.AttachDetachController.ReconcilerSyncLoopPeriod.Duration,
		BinderSync:       kcm.PersistentVolumeBinderController.PVClaimBinderSyncPeriod.Duration,
		ForceDetach:      timers.ReconcilerMaxWaitForUnmountDuration,
		DetachLoop:       timers.ReconcilerLoopPeriod,

		JobBackOff: job.DefaultJobPodFailureBackOff, LongestJobBackOff: job.MaxJobPodFailureBackOff,
		JobAPIBackOff: job.DefaultJobApiBackOff, LongestJobAPIBackOff: job.MaxJobApiBackOff,
	}
}

func TestPace(t *testing.T) {
	real := settings{
		MonitorGrace: 50 * time.Second, MonitorPeriod: 5 * time.Second, EvictionRate: 0.1,
		AttachDetachSync: time.Minute, BinderSync: 15 * time.Second,
		ForceDetach: 6 * time.Minute, DetachLoop: 100 * time.Millisecond,
		JobBackOff: 10 * time.Second, LongestJobBackOff: 10 * time.Minute,
		JobAPIBackOff: time.Second, LongestJobAPIBackOff: time.Minute,
	}
	fast := settings{
		MonitorGrace: 2500 * time.Millisecond, MonitorPeriod: 250 * time.Millisecond, EvictionRate: 2,
		AttachDetachSync: 3 * time.Second, BinderSync: 750 * time.Millisecond,
		ForceDetach: 18 * time.Second, DetachLoop: 100 * time.Millisecond,
		JobBackOff: 500 * time.Millisecond, LongestJobBackOff: 30 * time.Second,
		JobAPIBackOff: 50 * time.Millisecond, LongestJobAPIBackOff: 3 * time.Second,
	}
	own := fast
	own.MonitorGrace = 7 * time.Second
	for _, test := range []struct {
		name    string
		options controlplane.Options
		want    settings
	}{
		{"none", controlplane.Options{}, real},
		{"real time", controlplane.Options{Pace: pace.New(1)}, real},
		{"twenty times faster", controlplane.Options{Pace: pace.New(20)}, fast},
		{"with a flag", controlplane.Options{Pace: pace.New(20), Flags: map[controlplane.Component][]string{controlplane.ControllerManager: {"--node-monitor-grace-period=7s"}}}, own},
		{"none again", controlplane.Options{}, real},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, settingsOf(t, test.options)); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAtMinimum has a pace so fast that some whole seconds cannot follow, and the list of them.
func TestAtMinimum(t *testing.T) {
	p := pace.New(400)
	paced(p)
	schedulerConfig(p, "")
	want := []pace.Setting{
		{Name: "kube-apiserver --default-not-ready-toleration-seconds", Stated: 5 * time.Minute},
		{Name: "kube-apiserver --default-unreachable-toleration-seconds", Stated: 5 * time.Minute},
		{Name: "kube-controller-manager --attach-detach-reconcile-sync-period", Stated: time.Minute},
		{Name: "kube-scheduler podInitialBackoffSeconds", Stated: time.Second},
		{Name: "kube-scheduler podMaxBackoffSeconds", Stated: 10 * time.Second},
	}
	if diff := cmp.Diff(want, p.AtMinimum()); diff != "" {
		t.Errorf("settings at their minimum (-want +got):\n%s", diff)
	}
}
