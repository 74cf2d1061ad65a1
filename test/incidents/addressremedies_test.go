package incidents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// scarce is a cluster of two workers in a subnet of 27 addresses, with an interface of ten that a removed worker left behind, and another subnet in the zone.
const scarce = `
name: scarce
title: Addresses are scarce
description: Two workers share a subnet of 27 addresses, of which a leaked interface holds ten.
cluster:
  cloud:
    zones: [us-east-1a]
    subnets:
      - {name: workers, zone: us-east-1a, cidr: 10.0.0.0/27}
      - {name: pods, zone: us-east-1a, cidr: 100.64.0.0/24}
    networkInterfaces:
      - subnet: workers
        description: aws-K8S-i-0123456789abcdef0
        secondaryAddresses: 9
        tags:
          cluster.k8s.amazonaws.com/name: shop
          eks:eni:owner: amazon-vpc-cni
          node.k8s.amazonaws.com/instance_id: i-0123456789abcdef0
          node.k8s.amazonaws.com/createdAt: "2020-01-01T00:00:00Z"
    groups: [{name: workers, instanceType: m5.large, min: 1, desired: 2, max: 2, subnets: [workers]}]
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
            containers:
              - name: aws-node
                image: amazon-k8s-cni:v1.23.1
                env: [{name: CLUSTER_NAME, value: shop}, {name: WARM_ENI_TARGET, value: "0"}, {name: DISABLE_LEAKED_ENI_CLEANUP, value: "true"}]
    - apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: default}
      spec:
        replicas: 8
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec:
            topologySpreadConstraints:
              - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
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

// addressRemedy is a remedy of N401.
type addressRemedy struct {
	Command  string
	Verified bool
	Change   struct{ Kind, Subnet, Interface string }
}

// TestAddressRemedies does what N401 proposes, and what its simulation said holds: all pods that waited have an address then, or not.
func TestAddressRemedies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pods, before int
		kind         string
		verified     bool
	}{
		// Of 17 addresses, two are the interfaces' own, and 15 are for pods. Nine of them fill the interface of one node.
		"a subnet is tagged": {pods: 20, before: 15, kind: "TagSubnet", verified: true},
		// The other node, with six, fills its interface. The first has one left, and needs none.
		"a leaked interface is deleted": {pods: 16, before: 14, kind: "DeleteInterface", verified: true},
		// The ten addresses are enough for one node to fill its interface, or for another interface of the first, and then too few for the others.
		"a leaked interface is deleted, which is not enough": {pods: 20, before: 15, kind: "DeleteInterface"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "scarce.yaml")
			if err := os.WriteFile(file, []byte(scarce), 0o600); err != nil {
				t.Fatal(err)
			}
			l := up(t, "--scenario", file, "--time-scale", timeScale).withAWS(t)
			l.must(t, "kubectl", "scale", "deployment/web", "--replicas", strconv.Itoa(tc.pods))
			l.addressed(t, tc.before)
			var proposed addressRemedy
			eventually(t, "N401 to propose it", func() error {
				var audit struct {
					Findings []struct {
						Code     string
						Remedies []addressRemedy
					}
				}
				l.decode(t, &audit, "naosu", "audit", "-A", "-o", "json")
				for _, f := range audit.Findings {
					at := slices.IndexFunc(f.Remedies, func(r addressRemedy) bool { return r.Change.Kind == tc.kind })
					if f.Code == "N401" && at >= 0 {
						proposed = f.Remedies[at]
						return nil
					}
				}
				text, _ := json.Marshal(audit)
				return fmt.Errorf("it is not in %s", text)
			})
			if proposed.Verified != tc.verified {
				t.Errorf("%q is verified: %v, want %v", proposed.Command, proposed.Verified, tc.verified)
			}
			l.does(t, proposed)
			if tc.verified {
				l.addressed(t, tc.pods)
			} else if got := l.settledPods(t, "more pods to have an address", func(got int) bool { return got > tc.before }); got == tc.pods {
				t.Errorf("all %d pods have addresses, though the simulation said otherwise", got)
			}
		})
	}
}

// does makes the change of a remedy, as AWS's own command line does on its command.
func (l lab) does(t *testing.T, r addressRemedy) {
	t.Helper()
	variables := map[string]string{}
	for _, variable := range l.environment {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = strings.Trim(value, "'\"")
	}
	client := ec2.New(ec2.Options{
		Region: variables["AWS_REGION"], BaseEndpoint: sdk.String(variables["AWS_ENDPOINT_URL_EC2"]),
		Credentials: credentials.NewStaticCredentialsProvider(variables["AWS_ACCESS_KEY_ID"], variables["AWS_SECRET_ACCESS_KEY"], ""),
	})
	var err error
	switch r.Change.Kind {
	case "TagSubnet":
		_, err = client.CreateTags(t.Context(), &ec2.CreateTagsInput{
			Resources: []string{r.Change.Subnet}, Tags: []types.Tag{{Key: sdk.String("kubernetes.io/role/cni"), Value: sdk.String("1")}},
		})
	case "DeleteInterface":
		_, err = client.DeleteNetworkInterface(t.Context(), &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: sdk.String(r.Change.Interface)})
	}
	if err != nil {
		t.Fatalf("%s: %v", r.Command, err)
	}
}
