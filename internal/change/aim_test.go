package change

import "testing"

func TestAim(t *testing.T) {
	at := func(flag, value string) []Flag { return []Flag{{flag, value}} }
	prod := at("context", "prod")
	for name, tc := range map[string]struct {
		line  string
		flags []Flag
		want  string
	}{
		"plain":                {"kubectl cordon n1", prod, "kubectl --context prod cordon n1"},
		"nothing to add":       {"kubectl cordon n1", nil, "kubectl cordon n1"},
		"nothing to run":       {"", prod, ""},
		"two flags":            {"kubectl cordon n1", []Flag{{"kubeconfig", "/tmp/a b"}, {"context", "prod"}}, "kubectl --kubeconfig '/tmp/a b' --context prod cordon n1"},
		"a pipe":               {`echo '{"a":"b"}' | kubectl apply --filename -`, prod, `echo '{"a":"b"}' | kubectl --context prod apply --filename -`},
		"two kubectls":         {"kubectl patch job x --dry-run=client | kubectl replace --force", prod, "kubectl --context prod patch job x --dry-run=client | kubectl --context prod replace --force"},
		"one after the other":  {"kubectl cordon a && kubectl uncordon a", prod, "kubectl --context prod cordon a && kubectl --context prod uncordon a"},
		"xargs":                {"kubectl get pods --output name | xargs -I POD kubectl patch POD", prod, "kubectl --context prod get pods --output name | xargs -I POD kubectl --context prod patch POD"},
		"a pod named kubectl":  {"kubectl delete pod kubectl --namespace kubectl", prod, "kubectl --context prod delete pod kubectl --namespace kubectl"},
		"within quotes":        {`kubectl patch pod a --patch '{"x":" | kubectl get && naosu why"}'`, prod, `kubectl --context prod patch pod a --patch '{"x":" | kubectl get && naosu why"}'`},
		"a quote in quotes":    {`kubectl patch pod a --patch 'it'\''s | kubectl get'`, prod, `kubectl --context prod patch pod a --patch 'it'\''s | kubectl get'`},
		"within a container":   {"kubectl exec a --container c -- sh -c 'kubectl get'", prod, "kubectl --context prod exec a --container c -- sh -c 'kubectl get'"},
		"another's":            {"aws eks update-nodegroup-config --cluster-name kubectl", prod, "aws eks update-nodegroup-config --cluster-name kubectl"},
		"naosu's":              {"naosu why pod/a --namespace b", prod, "naosu --context prod why pod/a --namespace b"},
		"the lab's":            {"naosu-lab fault node/a off", prod, "naosu-lab fault node/a off"},
		"a name for a shell":   {"kubectl cordon n1", at("context", "$(reboot); rm -rf ~"), "kubectl --context '$(reboot); rm -rf ~' cordon n1"},
		"one with a quote":     {"kubectl cordon n1", at("context", "it's"), `kubectl --context 'it'\''s' cordon n1`},
		"an address":           {"kubectl cordon n1", at("context", "arn:aws:eks:us-east-1:123456789012:cluster/prod"), "kubectl --context arn:aws:eks:us-east-1:123456789012:cluster/prod cordon n1"},
		"one like an option":   {"kubectl cordon n1", at("context", "--all"), "kubectl --context=--all cordon n1"},
		"one to be filled in":  {"kubectl cordon n1", at("context", "<cluster>"), "kubectl --context '<cluster>' cordon n1"},
		"one of several lines": {"kubectl cordon n1", at("context", "a\nb"), "kubectl --context 'a\nb' cordon n1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := WithFlags(tc.line, tc.flags...); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
