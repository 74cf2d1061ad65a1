package chart

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// auditPolicy has the API server log the requests of naosu's accounts, and no others.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  users: ["system:serviceaccount:naosu-system:naosu-controller"]
  resources: [{group: authorization.k8s.io}]
- level: Metadata
  users:
  - system:serviceaccount:naosu-system:naosu-controller
  - system:serviceaccount:naosu-system:naosu-agent
  - system:serviceaccount:naosu-system:naosu-abort-repairs
  - system:serviceaccount:naosu-system:naosu-remove-conditions
- level: None
`

// audit is what the API server wrote down.
type audit struct{ folder string }

func newAudit(folder string) (audit, error) {
	a := audit{folder}
	return a, os.WriteFile(a.policy(), []byte(auditPolicy), 0o600)
}

func (a audit) policy() string { return filepath.Join(a.folder, "policy.yaml") }
func (a audit) log() string    { return filepath.Join(a.folder, "audit.log") }

func (a audit) flags() map[controlplane.Component][]string {
	return map[controlplane.Component][]string{
		controlplane.APIServer: {"--audit-policy-file=" + a.policy(), "--audit-log-path=" + a.log()},
	}
}

// asked are the requests of an account: "verb group/resource/subresource", and whether one was forbidden, why.
func (a audit) asked(t *testing.T, account string) (asked map[string]bool, refused []string) {
	t.Helper()
	text, err := os.ReadFile(a.log())
	if err != nil {
		t.Fatal(err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // The last line may be half written.
	asked = map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatalf("read the audit log: %v", err)
		}
		if !strings.HasSuffix(event.User.Username, ":"+account) {
			continue
		}
		what := event.Verb + " " + strings.SplitN(event.RequestURI, "?", 2)[0]
		if o := event.ObjectRef; o != nil {
			what = strings.TrimSuffix(fmt.Sprintf("%s %s/%s/%s", event.Verb, o.APIGroup, o.Resource, o.Subresource), "/")
		}
		asked[what] = true
		if event.RequestObject != nil { // Whether it might is asked for what it would do.
			var review authorizationv1.SelfSubjectAccessReview
			if err := json.Unmarshal(event.RequestObject.Raw, &review); err != nil {
				t.Fatalf("read the audit log: %v", err)
			}
			if r := review.Spec.ResourceAttributes; r != nil {
				asked[strings.TrimSuffix(fmt.Sprintf("%s %s/%s/%s", r.Verb, r.Group, r.Resource, r.Subresource), "/")] = true
			}
		}
		if s := event.ResponseStatus; s != nil && s.Code == 403 && !slices.Contains(refused, what) {
			refused = append(refused, what)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("read the audit log: %v", err)
	}
	return asked, refused
}
