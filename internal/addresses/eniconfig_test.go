package addresses

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

// TestENIConfigsOfAnonymousNodes: which ENIConfig a node uses is known where names are replaced, too, whatever the keys are.
func TestENIConfigsOfAnonymousNodes(t *testing.T) {
	for name, tc := range map[string]struct {
		env                 []corev1.EnvVar
		labels, annotations map[string]string
	}{
		"the label":           {labels: map[string]string{keyENIConfig: "payroll-pods"}},
		"the annotation":      {annotations: map[string]string{keyENIConfig: "payroll-pods"}},
		"another label":       {env: []corev1.EnvVar{{Name: "ENI_CONFIG_LABEL_DEF", Value: "payroll.example.com/pods"}}, labels: map[string]string{"payroll.example.com/pods": "payroll-pods"}},
		"another annotation":  {env: []corev1.EnvVar{{Name: "ENI_CONFIG_ANNOTATION_DEF", Value: "payroll.example.com/pods"}}, annotations: map[string]string{"payroll.example.com/pods": "payroll-pods"}},
		"a key of one word":   {env: []corev1.EnvVar{{Name: "ENI_CONFIG_LABEL_DEF", Value: "payroll"}}, labels: map[string]string{"payroll": "payroll-pods"}},
		"an external manager": {labels: map[string]string{labelExternalENIConfig: "payroll-pods"}},
	} {
		t.Run(name, func(t *testing.T) {
			set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: Plugin}}
			set.Spec.Template.Spec.Containers = []corev1.Container{{Name: Plugin, Env: append(tc.env, corev1.EnvVar{Name: "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG", Value: "true"})}}
			config := &custom.ENIConfig{ObjectMeta: metav1.ObjectMeta{Name: "payroll-pods"}, Spec: custom.ENIConfigSpec{Subnet: "subnet-0123456789abcdef0"}}
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0", Labels: tc.labels, Annotations: tc.annotations}, Spec: corev1.NodeSpec{ProviderID: "aws:///a/i-0"}}
			world, err := cluster.New(cluster.Contents{
				Taken: taken, Objects: []runtime.Object{node, set, config},
				Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.DaemonSet: cluster.Complete, cluster.ENIConfig: cluster.Complete},
			}).WithNetwork(cloud.Network{Subnets: []cloud.Subnet{subnet("subnet-0123456789abcdef0", "", 5)}, Instances: []cloud.Instance{instance(0, "s0", "")}}).Anonymize()
			if err != nil {
				t.Fatal(err)
			}
			r := Compute(world)
			if len(r.ENIConfigs) != 1 || !r.ENIConfigs[0].Exists() || r.ENIConfigs[0].Name == "payroll-pods" || r.Subnet(r.ENIConfigs[0].Subnet) == nil {
				t.Errorf("%+v, settings %+v", r.ENIConfigs, r.Settings)
			}
		})
	}
}
