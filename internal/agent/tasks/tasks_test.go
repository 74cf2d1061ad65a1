package tasks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

func TestAsks(t *testing.T) {
	const service = `"spec": {"node": {"name": "n", "uid": "u"}, "plan": [{"action": "RestartService", "parameters": {"service": "kubelet.service"}}]}`
	const planless = `"spec": {"node": {"name": "n", "uid": "u"}, "action": "RestartService", "service": "kubelet.service"}`
	const drilled = `"spec": {"node": {"name": "n", "uid": "u"}, "drill": {"nonce": "x", "reason": "InterfaceNotUp", "depth": "DryRun"}}`
	w := &Worker{Node: "n", Restarts: &Restarts{Options: DefaultOptions()}, Drills: &Drills{}}
	for name, tc := range map[string]struct {
		json string
		want task
	}{
		"a service whose Act began":      {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Assess", "endedAt": "2026-11-21T17:40:00.000000Z"}, {"name": "Act"}]}}`, restart},
		"a service without a plan":       {`{` + planless + `, "status": {"phase": "Running", "steps": [{"name": "Act"}]}}`, restart},
		"two changes":                    {`{` + strings.Replace(service, `[`, `[{"action": "Reboot"}, `, 1) + `, "status": {"phase": "Running", "steps": [{"name": "Act"}]}}`, nothing},
		"undertaken before":              {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Act"}], "agent": {"state": "Accepted"}}}`, restart},
		"done":                           {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Act"}], "agent": {"state": "Done"}}}`, nothing},
		"failed":                         {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Act"}], "agent": {"state": "Failed"}}}`, nothing},
		"refused":                        {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Act"}], "agent": {"state": "Refused"}}}`, nothing},
		"a service that is proposed":     {`{` + service + `, "status": {"phase": "Proposed"}}`, nothing},
		"a service before Act":           {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Assess"}]}}`, nothing},
		"a service whose Act has ended":  {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Act", "endedAt": "2026-11-21T17:40:00.000000Z"}]}}`, nothing},
		"a service after Act":            {`{` + service + `, "status": {"phase": "Running", "steps": [{"name": "Act", "endedAt": "2026-11-21T17:40:00.000000Z"}, {"name": "Wait"}]}}`, nothing},
		"a service that is over":         {`{` + service + `, "status": {"phase": "Ended", "steps": [{"name": "Act"}]}}`, nothing},
		"an Act that does not run":       {`{` + service + `, "status": {"phase": "Waiting", "steps": [{"name": "Act"}]}}`, nothing},
		"another action":                 {`{"spec": {"node": {"name": "n"}, "plan": [{"action": "Reboot"}]}, "status": {"phase": "Running", "steps": [{"name": "Act"}]}}`, nothing},
		"another node's":                 {`{"spec": {"node": {"name": "m"}, "plan": [{"action": "RestartService", "parameters": {"service": "kubelet.service"}}]}, "status": {"phase": "Running", "steps": [{"name": "Act"}]}}`, nothing},
		"a drill":                        {`{` + drilled + `}`, drill},
		"a drill that the agent began":   {`{` + drilled + `, "status": {"agent": {"state": "Accepted"}}}`, drill},
		"a drill that it finished":       {`{` + drilled + `, "status": {"agent": {"state": "Done"}}}`, nothing},
		"a drill that is over":           {`{` + drilled + `, "status": {"phase": "Ended"}}`, nothing},
		"a drill that somebody raises":   {`{` + strings.Replace(drilled, "DryRun", "Raised", 1) + `}`, nothing},
		"a drill that names no depth":    {`{` + strings.Replace(drilled, `, "depth": "DryRun"`, "", 1) + `}`, drill},
		"a drill before anything is set": {`{` + drilled + `, "status": {"phase": "Proposed"}}`, drill},
	} {
		r := &kube.Remediation{}
		if err := json.Unmarshal([]byte(tc.json), r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := w.taskOf(r); got != tc.want {
			t.Errorf("%s: it asks for %d, want %d", name, got, tc.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	w := &Worker{Node: "n", Restarts: &Restarts{Options: Options{Services: []string{"kubelet.service"}}}}
	for name, tc := range map[string]struct{ service, uid, why string }{
		"as configured":           {"kubelet.service", "u", ""},
		"not as configured":       {"sshd.service", "u", "does not let sshd.service be restarted; it does kubelet.service"},
		"an earlier Node of that": {"kubelet.service", "v", "a Node n of UID u; this one's is v"},
	} {
		r := &kube.Remediation{}
		r.Spec.Node.Name, r.Spec.Node.UID = "n", "u"
		r.Spec.Plan = []kube.Change{{Action: "RestartService"}}
		r.Spec.Plan[0].Parameters.Service = tc.service
		if why := w.whyRefused(r, tc.uid); !strings.Contains(why, tc.why) || tc.why == "" && why != "" {
			t.Errorf("%s: %q, want %q", name, why, tc.why)
		}
	}
}
