package cluster_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

func TestReadPod(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "persistentvolumes"}, "", nil)
	absent := apierrors.NewNotFound(schema.GroupResource{Resource: "csinodes"}, "")
	broken := apierrors.NewInternalError(errors.New("etcd is gone"))
	for name, tc := range map[string]struct {
		answers  map[string]*apierrors.StatusError
		pageSize int
		pod      string
		// want differs from a full read by these kinds.
		want    map[cluster.Kind]cluster.Knowledge
		wantErr func(error) bool
	}{
		"all may be read":         {},
		"in pages":                {pageSize: 2},
		"a kind is forbidden":     {answers: map[string]*apierrors.StatusError{"persistentvolumes": forbidden}, want: map[cluster.Kind]cluster.Knowledge{cluster.PersistentVolume: cluster.Forbidden}},
		"a kind is not served":    {answers: map[string]*apierrors.StatusError{"csinodes": absent}, want: map[cluster.Kind]cluster.Knowledge{cluster.CSINode: cluster.Absent}},
		"the server breaks":       {answers: map[string]*apierrors.StatusError{"nodes": broken}, wantErr: apierrors.IsInternalError},
		"the pod is forbidden":    {answers: map[string]*apierrors.StatusError{"pods": forbidden}, wantErr: apierrors.IsForbidden},
		"the pod does not exist":  {pod: "nobody", wantErr: apierrors.IsNotFound},
		"events are as forbidden": {answers: map[string]*apierrors.StatusError{"events": forbidden}, want: map[cluster.Kind]cluster.Knowledge{cluster.Event: cluster.Forbidden}},
	} {
		t.Run(name, func(t *testing.T) {
			api := &clustertest.API{
				Objects: clustertest.Load(t, "testdata/small.yaml"), Answers: tc.answers, PageSize: tc.pageSize,
			}
			client := kubernetes.NewForConfigOrDie(&rest.Config{Host: api.Serve(t)})
			taken := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
			if tc.pod == "" {
				tc.pod = "redis-0"
			}
			got, err := cluster.ReadPod(t.Context(), client, cluster.PodScope{
				Pod: types.NamespacedName{Namespace: "redash", Name: tc.pod}, Clock: testclock.NewFakePassiveClock(taken),
			})
			if tc.wantErr != nil {
				if err == nil || !tc.wantErr(err) {
					t.Fatalf("err = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[cluster.Kind]cluster.Knowledge{
				cluster.Node: cluster.Complete, cluster.Pod: cluster.Partial, cluster.PersistentVolumeClaim: cluster.Partial,
				cluster.PersistentVolume: cluster.Complete, cluster.StorageClass: cluster.Complete,
				cluster.VolumeAttachment: cluster.Complete, cluster.CSINode: cluster.Complete, cluster.Event: cluster.Partial,
			}
			maps.Copy(want, tc.want)
			for kind, knowledge := range want {
				if got.Knowledge(kind) != knowledge {
					t.Errorf("Knowledge(%s) = %s, want %s", kind, got.Knowledge(kind), knowledge)
				}
			}
			if !got.Taken().Equal(taken) {
				t.Errorf("Taken() = %v, want %v", got.Taken(), taken)
			}
			var nodes []string
			for _, node := range got.Nodes() {
				nodes = append(nodes, node.Name)
				if node.ManagedFields != nil {
					t.Errorf("node %s keeps its managed fields", node.Name)
				}
			}
			if diff := cmp.Diff([]string{"node-a", "node-b", "node-d"}, nodes); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}
