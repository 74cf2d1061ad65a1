package zonecoverage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// nightly is a CronJob of a template.
func nightly(name string, t corev1.PodTemplateSpec) *batchv1.CronJob {
	return &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: "cron"},
		Spec:       batchv1.CronJobSpec{Schedule: "0 3 * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: t}}},
	}
}

// TestPlaceholders says for which pods placeholder pods hold room in zone c, and what is said of the zone.
func TestPlaceholders(t *testing.T) {
	other, data := w.Of(w.Node("n1", "a"), w.Node("n2", "b")), w.ZonalClaim("data", "c")
	running := func(edits ...func(*corev1.Node)) w.Objects {
		return w.Of(other, data, w.Node("n3", "c", edits...), w.Deployment("redis", mounting("data", "1"), "n3"))
	}
	five := w.Of(other)
	for i, cpu := range []string{"300m", "500m", "100m", "400m", "200m"} {
		claim := fmt.Sprint("data-", i)
		five = w.Of(five, w.ZonalClaim(claim, "c"), scaledTo(1, w.Deployment(fmt.Sprint("d", i), mounting(claim, cpu))))
	}
	none := func(*Facts) {}
	long := func(f *Facts) { f.Before.LackingSince = new(metav1.NewTime(noon.Add(-time.Hour))) }
	held := true
	for name, tc := range map[string]struct {
		objects w.Objects
		edit    func(*Facts)
		holds   bool
		want    string
		reason  string
	}{
		"the pod runs":                           {running(), long, held, "", v1alpha1.ZonesCoveredReason},
		"its node is cordoned":                   {running(w.CordonedNode), long, !held, "1", v1alpha1.ZoneAutoscalerReason},
		"its node is not ready":                  {running(w.NotReady), long, !held, "1", v1alpha1.ZoneAutoscalerReason},
		"not for long enough":                    {running(w.CordonedNode), none, !held, "", v1alpha1.ZoneLackingReason},
		"not for long enough, but there already": {running(w.CordonedNode), none, held, "1", v1alpha1.ZoneLackingReason},
		"another node fits it":                   {w.Of(running(w.CordonedNode), w.Node("n4", "c")), none, !held, "1", v1alpha1.ZonesCoveredReason},
		"the pod is Pending":                     {w.Of(other, data, w.Deployment("redis", mounting("data", "1"), "")), long, held, "", v1alpha1.ZoneAutoscalerReason},
		"a CronJob":                              {w.Of(other, data, nightly("backup", mounting("data", "1"))), long, !held, "1", v1alpha1.ZoneAutoscalerReason},
		"a scheduler that is not modelled": {
			w.Of(other, data, scaledTo(1, w.Deployment("redis", mounting("data", "1", func(s *corev1.PodSpec) { s.SchedulerName = "own" })))), long, held, "", v1alpha1.ZoneUnreadReason,
		},
		"the largest, at most maxAddedNodes": {five, long, !held, "500m 400m 300m", v1alpha1.ZoneAutoscalerReason},
		"maxAddedNodes is 1":                 {five, func(f *Facts) { long(f); f.Policy.Spec.ZoneCoverage.MaxAddedNodes = new(int32(1)) }, !held, "500m", v1alpha1.ZoneAutoscalerReason},
		"mode Report":                        {running(w.CordonedNode), func(f *Facts) { long(f); f.Policy.Spec.Mode = v1alpha1.ModeReport }, held, "", v1alpha1.ZoneReportOnlyReason},
		"paused":                             {running(w.CordonedNode), func(f *Facts) { long(f); f.Policy.Spec.Paused = true }, held, "1", v1alpha1.PolicyPausedReason},
		"autoscaling Ignore":                 {running(w.CordonedNode), func(f *Facts) { long(f); f.Policy.Spec.Autoscaling = v1alpha1.AutoscalingIgnore }, held, "", v1alpha1.ZoneNoNodeGroupReason},
	} {
		c, err := Assess(t.Context(), tc.objects.CompleteJudge(t).World())
		if err != nil || len(c.Zones) != 1 {
			t.Fatalf("%s: %+v (%v)", name, c, err)
		}
		_, _, f := stranded()
		f.Policy.Spec.Autoscaling, f.Before.LackingSince = v1alpha1.AutoscalingAddNodes, new(metav1.NewTime(noon))
		tc.edit(&f)
		var sizes []string
		for _, room := range Placeholders(c.Zones[0], f, func(headroompolicy.ZoneRoom) bool { return tc.holds }) {
			sizes = append(sizes, room.Pod.Spec.Containers[0].Resources.Requests.Cpu().String())
			if room.Pod.Spec.NodeName != "" || strings.Join(room.Zones, "") != "c" {
				t.Errorf("%s: %q in %s", name, room.Pod.Spec.NodeName, room.Zones)
			}
		}
		if d := Decide(c.Zones[0], nil, f); strings.Join(sizes, " ") != tc.want || d.Reason != tc.reason || d.Resize != nil {
			t.Errorf("%s: %q, want %q; %s, want %s", name, sizes, tc.want, d.Reason, tc.reason)
		}
	}
}
