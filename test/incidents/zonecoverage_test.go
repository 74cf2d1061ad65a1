package incidents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// twoZones has a node group for each zone, sized by cluster-autoscaler, and a database whose volume is in the second one.
const twoZones = `
name: two-zones
title: Two zones, of which one has a volume
description: There are two zones.
cluster:
  cloud:
    zones: [us-east-1a, us-east-1c]
    groups:
      - {name: general, instanceType: m5.large, min: 1, desired: 1, max: 3, zones: [us-east-1a]}
      - {name: data, instanceType: m5.large, min: 0, desired: 1, max: 3, zones: [us-east-1c], labels: {team: data}}
  addons: {clusterAutoscaler: true}
  manifests:
    - apiVersion: storage.k8s.io/v1
      kind: StorageClass
      metadata: {name: gp3}
      provisioner: ebs.csi.aws.com
      volumeBindingMode: WaitForFirstConsumer
    - apiVersion: apps/v1
      kind: StatefulSet
      metadata: {name: db, namespace: default}
      spec:
        serviceName: db
        replicas: 1
        selector: {matchLabels: {app: db}}
        template:
          metadata: {labels: {app: db}}
          spec:
            nodeSelector: {team: data}
            containers: [{name: db, image: "db:1", resources: {requests: {cpu: 600m}}, volumeMounts: [{name: data, mountPath: /data}]}]
        volumeClaimTemplates:
          - metadata: {name: data}
            spec: {accessModes: [ReadWriteOnce], storageClassName: gp3, resources: {requests: {storage: 1Gi}}}
expect:
  - {name: nodes-come, that: nodes.size() == 2, within: 1m}
variants:
  - name: no-volume
    description: There is no database.
    counter: true
    cluster: {manifests: [{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: default}, spec: {replicas: 0}}]}
    expect:
      - {name: nodes-come, that: nodes.size() == 2, within: 1m}
`

// zonesPolicy has an autoscaler add nodes in zones that hold volumes in use.
const zonesPolicy = `
apiVersion: naosu.dev/v1alpha1
kind: HeadroomPolicy
metadata: {name: zones}
spec:
  mode: Auto
  autoscaling: AddNodes
  zoneCoverage: {}
  resize: {lackSeconds: 1}
`

// TestZonePlaceholders cordons the only node of a zone while a pod on a volume of the zone runs there. The autoscaler adds a node for naosu's placeholder pod
// before the pod has lost its place; once it is evicted, it takes that place, and the placeholder pod is gone.
func TestZonePlaceholders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	scenario, policy := filepath.Join(folder, "two-zones.yaml"), filepath.Join(folder, "policy.yaml")
	for file, text := range map[string]string{scenario: twoZones, policy: zonesPolicy} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := up(t, "--scenario", scenario, "--time-scale", timeScale)
	l.podsRun(t, "db", 1, "")
	l.runsController(t)
	l.must(t, "kubectl", "apply", "--filename", policy)
	l.zone(t, "us-east-1c True Covered")
	if held := l.placeholderPods(t); len(held) > 0 {
		t.Errorf("%d placeholder pods hold room for a pod that runs", len(held))
	}

	old := l.pods(t)[0].Spec.NodeName
	l.must(t, "kubectl", "cordon", old)
	l.zone(t, "us-east-1c True Covered 1")
	held := l.placeholderPods(t)
	if len(held) != 1 || held[0].Spec.NodeName == "" || held[0].Spec.NodeName == old || held[0].Labels[v1alpha1.HeadroomZonesLabel] == "" {
		t.Fatalf("placeholder pods are %+v", held)
	}
	if db := l.pods(t)[0]; db.Spec.NodeName != old || db.Status.Phase != corev1.PodRunning {
		t.Errorf("the pod is %s on %s", db.Status.Phase, db.Spec.NodeName)
	}
	l.must(t, "kubectl", "delete", "pod/db-0", "--wait=false")
	l.podsRun(t, "db", 1, old)
	if now := l.pods(t)[0].Spec.NodeName; now != held[0].Spec.NodeName {
		t.Errorf("the pod runs on %s, want %s, which was added for the placeholder pod", now, held[0].Spec.NodeName)
	}
	l.zone(t, "us-east-1c True Covered")
	eventually(t, "the placeholder pod to be gone", func() error {
		if left := l.placeholderPods(t); len(left) > 0 {
			return fmt.Errorf("%d are there", len(left))
		}
		return nil
	})
}

// zone waits until the policy's status says so of its zone: its name, whether it is covered, the reason, and the number of placeholder pods.
func (l lab) zone(t *testing.T, want string) {
	t.Helper()
	eventually(t, "the zone to be "+want, func() error {
		out, err := l.run(t, "kubectl", "get", "headroompolicy/zones", "--output", `jsonpath={range .status.zones[*]}{.name} {.covered} {.reason} {.placeholders}{end}`)
		if want := want + " "; err != nil || out != want && out+" " != want {
			return fmt.Errorf("%q (%w)", out, err)
		}
		return nil
	})
}
