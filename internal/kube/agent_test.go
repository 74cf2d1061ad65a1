package kube_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/agent/managedfields"
	"github.com/naosu-dev/naosu/internal/kube"
)

func TestNodeAgentOf(t *testing.T) {
	for name, tc := range map[string]struct {
		object metav1.ObjectMeta
		want   string
	}{
		"naosu's":                       {metav1.ObjectMeta{Name: "naosu-agent-x2x8b"}, kube.NaosuAgent},
		"by the label of charts":        {metav1.ObjectMeta{Name: "monitor-x2x8b", Labels: map[string]string{"app.kubernetes.io/name": "eks-node-monitoring-agent"}}, kube.EKSMonitoringAgent},
		"by the label of its manifest":  {metav1.ObjectMeta{Name: "npd-v0.8.9-x2x8b", Labels: map[string]string{"k8s-app": "node-problem-detector"}}, kube.NodeProblemDetector},
		"by the label app":              {metav1.ObjectMeta{Name: "npd-x2x8b", Labels: map[string]string{"app": "node-problem-detector"}}, kube.NodeProblemDetector},
		"by the name of a Helm release": {metav1.ObjectMeta{Name: "prod-node-problem-detector-x2x8b", Labels: map[string]string{"app": "prod"}}, kube.NodeProblemDetector},
		"a DaemonSet":                   {metav1.ObjectMeta{Name: "node-problem-detector"}, kube.NodeProblemDetector},
		"another":                       {metav1.ObjectMeta{Name: "kube-proxy-x2x8b", Labels: map[string]string{"k8s-app": "kube-proxy"}}, ""},
		"another with a longer name":    {metav1.ObjectMeta{Name: "my-naosu-agents"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kube.NodeAgentOf(&tc.object); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if kube.NaosuAgent != managedfields.Agent {
		t.Errorf("the agent calls itself %s", managedfields.Agent)
	}
}
