package incidents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// growing is a cluster of a group that may grow to five workers, each with a pod of two DaemonSets. %s are the environment of the VPC CNI. There is no worker at
// first: on EKS, an address manager never runs without the settings of its DaemonSet, and in the lab, those of the first nodes do.
const growing = `
name: growing
title: A group grows to its maximum
description: Each new node takes addresses as the VPC CNI is set.
cluster:
  cloud:
    zones: [us-east-1a]
    subnets: [{name: workers, zone: us-east-1a, cidr: 10.0.0.0/23}]
    groups: [{name: workers, instanceType: m5.large, min: 0, desired: 0, max: 5}]
  addons: {vpcCNI: true}
  manifests:
    - apiVersion: apps/v1
      kind: DaemonSet
      metadata: {name: aws-node, namespace: kube-system}
      spec:
        selector: {matchLabels: {k8s-app: aws-node}}
        template:
          metadata: {labels: {k8s-app: aws-node}}
          spec:
            hostNetwork: true
            tolerations: [{operator: Exists}]
            containers: [{name: aws-node, image: amazon-k8s-cni:v1.23.1, env: [%s]}]
    - apiVersion: apps/v1
      kind: DaemonSet
      metadata: {name: agent, namespace: default}
      spec:
        selector: {matchLabels: {app: agent}}
        template:
          metadata: {labels: {app: agent}}
          spec: {containers: [{name: agent, image: "agent:1"}]}
    - apiVersion: apps/v1
      kind: DaemonSet
      metadata: {name: proxy, namespace: default}
      spec:
        selector: {matchLabels: {app: proxy}}
        template:
          metadata: {labels: {app: proxy}}
          spec: {containers: [{name: proxy, image: "proxy:1"}]}
expect:
  - {name: no-node-comes, that: nodes.size() == 0, within: 1m}
variants:
  - name: three
    description: There are three.
    counter: true
    cluster: {cloud: {groups: [{name: workers, instanceType: m5.large, min: 0, desired: 3, max: 5}]}}
    expect:
      - {name: no-node-comes, that: nodes.size() == 3, within: 1m}
`

// TestAddressForecast holds the forecast of `naosu addresses` against what comes: the group grows to its maximum, and the address managers of the nodes
// take what they take.
func TestAddressForecast(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]string{
		"spare interface": `{name: WARM_ENI_TARGET, value: "1"}`,
		"spare addresses": `{name: WARM_IP_TARGET, value: "3"}, {name: MINIMUM_IP_TARGET, value: "4"}`,
		"prefixes":        `{name: ENABLE_PREFIX_DELEGATION, value: "true"}, {name: WARM_PREFIX_TARGET, value: "1"}`,
		"one prefix":      `{name: ENABLE_PREFIX_DELEGATION, value: "true"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "growing.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, growing, env), 0o600); err != nil {
				t.Fatal(err)
			}
			l := up(t, "--scenario", file, "--time-scale", timeScale).withAWS(t)
			l.must(t, "naosu-lab", "scale", "group/workers", "--to", "2", "--data-dir", l.dir)
			before := l.settled(t, 2)
			if before.FreeAtMaximum == nil {
				t.Fatal("there is no forecast")
			}
			var forecast addressForecast
			l.decode(t, &forecast, "naosu", "whatif", "scale", "group/workers", "--to", "5", "--output", "json")
			l.must(t, "naosu-lab", "scale", "group/workers", "--to", "5", "--data-dir", l.dir)
			after := l.settled(t, 5)
			if after.Free != *before.FreeAtMaximum {
				t.Errorf("%d addresses are free at the maximum, expected were %d of %d", after.Free, *before.FreeAtMaximum, before.Free)
			}
			if len(forecast.Addresses) != 1 || forecast.Addresses[0].Before != before.Free || forecast.Addresses[0].After != after.Free {
				t.Errorf("%d of %d addresses are free, whatif said %+v", after.Free, before.Free, forecast.Addresses)
			}
		})
	}
}

// addressForecast is what `naosu whatif` foretells.
type addressForecast struct {
	Outcome    struct{ Counts map[string]int }
	Addresses  []struct{ Before, After int64 }
	Unlaunched []struct{ Instances int }
}

// tight is a cluster of two workers in a subnet of 27 addresses, with eight pods on each.
const tight = `
name: tight
title: A small subnet
description: Two workers share a subnet of 27 addresses.
cluster:
  cloud:
    zones: [us-east-1a]
    subnets: [{name: workers, zone: us-east-1a, cidr: 10.0.0.0/27}]
    groups: [{name: workers, instanceType: m5.large, min: 1, desired: 2, max: 40}]
  addons: {vpcCNI: true}
  manifests:
    - apiVersion: apps/v1
      kind: DaemonSet
      metadata: {name: aws-node, namespace: kube-system}
      spec:
        selector: {matchLabels: {k8s-app: aws-node}}
        template:
          metadata: {labels: {k8s-app: aws-node}}
          spec:
            hostNetwork: true
            tolerations: [{operator: Exists}]
            containers: [{name: aws-node, image: amazon-k8s-cni:v1.23.1, env: [%s]}]
    - apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: default}
      spec:
        replicas: 16
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec:
            topologySpreadConstraints:
              - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: Honor, nodeTaintsPolicy: Honor, labelSelector: {matchLabels: {app: web}}}
            containers: [{name: web, image: "nginx:1.27", resources: {requests: {cpu: 50m}}}]
expect:
  - {name: nodes-come, that: nodes.size() == 2, within: 1m}
variants:
  - name: large
    description: The subnet is large.
    counter: true
    cluster: {cloud: {subnets: [{name: workers, zone: us-east-1a, cidr: 10.0.0.0/23}]}}
    expect:
      - {name: nodes-come, that: nodes.size() == 2, within: 1m}
`

// TestFewAddresses drains a node, and grows a group, where addresses are scarce, and holds what `naosu whatif` says against what comes.
func TestFewAddresses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env     string
		waiting int
	}{
		// The other node needs a second interface, for which ten addresses must be free.
		"spare interface": {`{name: WARM_ENI_TARGET, value: "1"}`, 7},
		// The drained node returns the addresses of its pods, one by one.
		"spare addresses": {`{name: WARM_IP_TARGET, value: "1"}, {name: MINIMUM_IP_TARGET, value: "1"}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "tight.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, tight, tc.env), 0o600); err != nil {
				t.Fatal(err)
			}
			l := up(t, "--scenario", file, "--time-scale", timeScale).withAWS(t)
			l.addressed(t, 16)
			var grown, drained addressForecast
			l.decode(t, &grown, "naosu", "whatif", "scale", "group/workers", "--to", "40", "--output", "json")
			if free := grown.Addresses[0].Before; len(grown.Unlaunched) != 1 || int64(grown.Unlaunched[0].Instances) != 38-free {
				t.Errorf("with %d free addresses, a group that grows by 38 should lack some, whatif says %+v", free, grown.Unlaunched)
			}
			node := strings.TrimPrefix(strings.Fields(l.must(t, "kubectl", "get", "nodes", "--output", "name"))[0], "node/")
			l.decode(t, &drained, "naosu", "whatif", "drain", "node/"+node, "--output", "json")
			if got := drained.Outcome.Counts["waiting"]; got != tc.waiting {
				t.Errorf("%d pods wait in the forecast, want %d", got, tc.waiting)
			}
			if tc.waiting > 0 {
				l.guardCounts(t, node)
			}
			l.must(t, "kubectl", "drain", node, "--ignore-daemonsets", "--delete-emptydir-data")
			l.addressed(t, 16-drained.Outcome.Counts["waiting"])
		})
	}
}

// repairPolicy repairs a node (%s) whose network is not ready.
const repairPolicy = `
apiVersion: naosu.dev/v1alpha1
kind: NodeRepairPolicy
metadata: {name: links}
spec:
  mode: Auto
  nodeSelector: {matchLabels: {kubernetes.io/hostname: %s}}
  nodeStartupGracePeriod: 0s
  rules: [{name: link, condition: NetworkingReady, status: "False", for: 1s, action: Reboot}]
`

// guardCounts has a controller repair a node, with addresses too few for the pods that would move: the guard does not allow it.
func (l lab) guardCounts(t *testing.T, node string) {
	t.Helper()
	l.types(t, "naosu crds | kubectl apply --server-side --filename -")
	l.must(t, "kubectl", "create", "namespace", "naosu-system")
	controller := command(t, l.kubeconfig, "naosu", "controller", "--leader-elect=false", "--health-address", "0", "--metrics-address", "0")
	log := &transcript{}
	controller.Env = append(controller.Env, l.environment...)
	controller.Stdout, controller.Stderr = log, log
	if err := controller.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = controller.Process.Signal(os.Interrupt)
		_ = controller.Wait()
		if t.Failed() {
			t.Logf("the controller's log:\n%s", log.String())
		}
	}()
	eventually(t, "the controller to read the network", func() error {
		if !strings.Contains(log.String(), "forecasts count addresses") {
			return errors.New(log.String())
		}
		return nil
	})
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, repairPolicy, node), 0o600); err != nil {
		t.Fatal(err)
	}
	l.must(t, "kubectl", "apply", "--filename", file)
	now := time.Now().UTC().Format(time.RFC3339)
	l.must(t, "kubectl", "patch", "node/"+node, "--subresource=status", "--type=strategic", "--patch",
		`{"status":{"conditions":[{"type":"NetworkingReady","status":"False","reason":"InterfaceNotUp","lastTransitionTime":"`+now+`","lastHeartbeatTime":"`+now+`"}]}}`)
	eventually(t, "the guard to rule", func() error {
		out, err := l.run(t, "kubectl", "get", "remediations", "--output", `jsonpath={.items[*].status.conditions[?(@.type=="Allowed")].reason}`)
		if err != nil || out != "PodsWouldWait" {
			return fmt.Errorf("%q (%w)", out, err)
		}
		return nil
	})
	l.must(t, "kubectl", "delete", "noderepairpolicy", "links")
}

// addressed waits until so many pods of web have an address, and no more get one for a while.
func (l lab) addressed(t *testing.T, pods int) {
	t.Helper()
	l.settledPods(t, fmt.Sprintf("%d pods to have an address", pods), func(got int) bool { return got == pods })
}

// settledPods is how many pods of web have an address once they are enough, and have been as many for a while.
func (l lab) settledPods(t *testing.T, what string, enough func(pods int) bool) (pods int) {
	t.Helper()
	same := newStableReadings()
	eventually(t, what, func() error {
		got, err := l.addressedPods(t, client.MatchingLabels{"app": "web"})
		if err != nil || !enough(got) || got != pods {
			pods, same = got, newStableReadings()
			return fmt.Errorf("%d pods have addresses (%w)", got, err)
		}
		if !same.final() {
			return fmt.Errorf("%d pods have addresses, %s", pods, same)
		}
		return nil
	})
	return pods
}

// addressedPods is how many pods of the default namespace have an address.
func (l lab) addressedPods(t *testing.T, of ...client.ListOption) (int, error) {
	t.Helper()
	var pods corev1.PodList
	err := l.list(t, &pods, append(of, client.InNamespace(corev1.NamespaceDefault))...)
	return len(slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return p.Status.PodIP == "" })), err
}

// subnetAddresses is a subnet as `naosu addresses` shows it.
type subnetAddresses struct {
	Free, Pods    int64
	FreeAtMaximum *int64
}

// unchanged is for how long what is read must stay the same to be taken for final. In the lab, an address manager gives an interface or a prefix back at the
// earliest a minute after it was set up, looks every half minute for what it can give back, and leaves an address alone for half a minute after its last use: two minutes, which
// is 12 s at timeScale. On a busy machine it takes longer, and so do the readings, of which there must be some.
const (
	unchanged     = 15 * time.Second
	equalReadings = 10
)

// stableReadings are readings that are all equal.
type stableReadings struct {
	since    time.Time
	readings int
}

func newStableReadings() *stableReadings { return &stableReadings{since: time.Now()} }

// final counts one more reading, and says whether what is read can be taken for final.
func (s *stableReadings) final() bool {
	s.readings++
	return s.readings >= equalReadings && time.Since(s.since) >= unchanged
}

func (s *stableReadings) String() string {
	return fmt.Sprintf("%d times in %s", s.readings, time.Since(s.since).Round(time.Second))
}

// settled is the subnet once so many nodes run all their pods, and as many addresses have been free for a while.
func (l lab) settled(t *testing.T, nodes int) subnetAddresses {
	t.Helper()
	var last subnetAddresses
	var changes []string // what changed, and when: of a wait that ends in vain, it says why
	same := newStableReadings()
	changed := func(format string, args ...any) {
		same = newStableReadings()
		changes = append(changes, same.since.Format(time.TimeOnly)+" "+fmt.Sprintf(format, args...))
	}
	eventually(t, fmt.Sprintf("%d nodes to have their addresses", nodes), func() error {
		got, err := l.addressedPods(t)
		if err != nil || got != 2*nodes {
			changed("%d pods have addresses", got)
			return fmt.Errorf("%d pods have addresses (%w)", got, err)
		}
		var now struct{ Subnets []subnetAddresses }
		l.decode(t, &now, "naosu", "addresses", "--output", "json")
		if len(now.Subnets) != 1 || now.Subnets[0].Pods != int64(2*nodes) {
			changed("subnets: %v", now.Subnets)
			return fmt.Errorf("subnets: %v", now.Subnets)
		}
		if now.Subnets[0].Free != last.Free {
			last = now.Subnets[0]
			changed("%d addresses are free", last.Free)
		}
		if !same.final() {
			return fmt.Errorf("%d addresses are free, %s; last changes: %q", last.Free, same, changes[max(0, len(changes)-9):])
		}
		last = now.Subnets[0]
		return nil
	})
	return last
}
