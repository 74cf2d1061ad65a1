package change

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommand(t *testing.T) {
	for name, tc := range map[string]struct {
		change Change
		want   string
		fill   []string
	}{
		"EKS, cluster unknown": {
			change: ResizeGroup{Group: "workers", Provider: EKS, To: 3, Region: "us-east-1"},
			want: "aws eks update-nodegroup-config --region us-east-1 --cluster-name <cluster> --nodegroup-name workers " +
				"--scaling-config desiredSize=3",
			fill: []string{"<cluster>"},
		},
		"EKS, cluster known": {
			change: ResizeGroup{Group: "workers", Provider: EKS, To: 3, Cluster: "prod"},
			want:   "aws eks update-nodegroup-config --cluster-name prod --nodegroup-name workers --scaling-config desiredSize=3",
		},
		"AKS": {
			change: ResizeGroup{Group: "pool1", Provider: AKS, To: 6},
			want:   "az aks nodepool scale --resource-group <resource-group> --cluster-name <cluster> --name pool1 --node-count 6",
			fill:   []string{"<resource-group>", "<cluster>"},
		},
		"GKE counts per zone": {
			change: ResizeGroup{Group: "pool-1", Provider: GKE, To: 6, PerZone: 2, Region: "europe-west1"},
			want:   "gcloud container clusters resize <cluster> --location europe-west1 --node-pool pool-1 --num-nodes 2",
			fill:   []string{"<cluster>"},
		},
		"lab":                       {change: ResizeGroup{Group: "workers", Provider: Lab, To: 3}, want: "naosu-lab scale group/workers --to 3"},
		"Karpenter has no size":     {change: ResizeGroup{Group: "default", Provider: Karpenter, To: 3}},
		"uncordon":                  {change: Uncordon{Node: "ip-10-0-1-7.ec2.internal"}, want: "kubectl uncordon ip-10-0-1-7.ec2.internal"},
		"a hostile name is quoted":  {change: Uncordon{Node: "x; rm -rf $HOME"}, want: "kubectl uncordon 'x; rm -rf $HOME'"},
		"a quote in a name as well": {change: Uncordon{Node: "x'y"}, want: `kubectl uncordon 'x'\''y'`},
		"an empty name stays one word": {
			change: Uncordon{}, want: "kubectl uncordon ''",
		},
		"reboot on AWS": {
			change: RebootNode{Node: "n1", Provider: EKS, ProviderID: "aws:///us-east-1a/i-0abc", Region: "us-east-1"},
			want:   "aws ec2 reboot-instances --region us-east-1 --instance-ids i-0abc",
		},
		"reboot of a machine that is not told":      {change: RebootNode{Node: "n1", Provider: EKS}},
		"reboot of what is no instance":             {change: RebootNode{Node: "n1", ProviderID: "aws:///us-east-1a/f3a/fargate-10.0.1.7"}},
		"reboot of another cloud's machine":         {change: RebootNode{Node: "n1", ProviderID: "gce://project/zone/i-am-a-name"}},
		"a hostile provider ID is quoted":           {change: RebootNode{ProviderID: "aws:///a/i-0; rm -rf $HOME"}, want: "aws ec2 reboot-instances --instance-ids 'i-0; rm -rf $HOME'"},
		"reboot in the lab":                         {change: RebootNode{Node: "n1", Provider: Lab, ProviderID: "aws:///us-east-1a/i-0abc"}, want: "naosu-lab fault node/n1 off && naosu-lab fault node/n1 on"},
		"replacing on Karpenter deletes the object": {change: ReplaceNode{Node: "n1", Provider: Karpenter, ProviderID: "aws:///us-east-1a/i-0abc"}, want: "kubectl delete node n1"},
		"replacing keeps the group's size": {
			change: ReplaceNode{Node: "n1", Provider: EKS, ProviderID: "aws:///us-east-1a/i-0abc", Region: "us-east-1"},
			want: "aws autoscaling terminate-instance-in-auto-scaling-group --region us-east-1 --instance-id i-0abc " +
				"--no-should-decrement-desired-capacity",
		},
		"replacing what is not told": {change: ReplaceNode{Node: "n1"}},
		"restart of a service": {
			change: RestartService{Node: "n1", Service: "containerd.service"},
			want:   "kubectl debug node/n1 --profile=sysadmin --image=busybox -- chroot /host systemctl restart containerd.service",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.change.Command()
			if got != tc.want {
				t.Errorf("Command() = %s, want %s", got, tc.want)
			}
			if diff := cmp.Diff(tc.fill, Placeholders(got)); diff != "" {
				t.Errorf("Placeholders (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	for name, tc := range map[string]struct {
		change Change
		want   string
	}{
		"resize":   {ResizeGroup{Group: "workers", Provider: EKS, To: 3}, `{"kind":"ResizeGroup","group":"workers","provider":"EKS","to":3}`},
		"lose":     {LoseNodes{Nodes: []string{"n1", "n2"}}, `{"kind":"LoseNodes","nodes":["n1","n2"]}`},
		"uncordon": {Uncordon{Node: "n1"}, `{"kind":"Uncordon","node":"n1"}`},
		"reboot":   {RebootNode{Node: "n1", Provider: EKS, ProviderID: "aws:///a/i-0"}, `{"kind":"RebootNode","node":"n1","provider":"EKS","providerID":"aws:///a/i-0"}`},
		"replace":  {ReplaceNode{Node: "n1", Region: "r"}, `{"kind":"ReplaceNode","node":"n1","region":"r"}`},
		"restart":  {RestartService{Node: "n1", Service: "x.service"}, `{"kind":"RestartService","node":"n1","service":"x.service"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(tc.change)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestRef(t *testing.T) {
	for want, ref := range map[string]Ref{
		"pod/redis":   {Kind: "Pod", Namespace: "redash", Name: "redis"},
		"pvc/data":    {Kind: "PersistentVolumeClaim", Name: "data"},
		"group/spare": {Kind: "Group", Name: "spare"},
	} {
		if got := ref.String(); got != want {
			t.Errorf("String() = %s, want %s", got, want)
		}
	}
}
