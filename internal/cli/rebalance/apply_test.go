package rebalance

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/record"
)

var now = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// remediation is one of a workload.
func remediation(name, workload string, edit func(*v1alpha1.Remediation)) *v1alpha1.Remediation {
	r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: name}}
	r.Spec.Request = &v1alpha1.Request{MaxSharePercent: 33}
	r.Spec.Subjects = []v1alpha1.Subject{{Kind: "Deployment", Namespace: "shop", Name: workload, UID: "u"}}
	r.Spec.Changes = []v1alpha1.Change{v1alpha1.Eviction("shop", workload+"-1", "p", 1)}
	if edit != nil {
		edit(r)
	}
	return r
}

func ofPolicy(phase v1alpha1.Phase) func(*v1alpha1.Remediation) {
	return func(r *v1alpha1.Remediation) {
		r.Spec.Request, r.Spec.Policy, r.Status.Phase = nil, v1alpha1.PolicyReference{Kind: v1alpha1.RebalancePolicyKind, Name: "all"}, phase
	}
}

func lease(holder string, renewed time.Duration) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: record.DefaultNamespace, Name: record.LeaseName},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(now.Add(-renewed)))},
	}
}

var errDenied = apierrors.NewForbidden(schema.GroupResource{Group: "naosu.dev", Resource: "remediations"}, "new", errors.New("denied"))

// TestRequest creates and approves a Remediation, or says why it does not.
func TestRequest(t *testing.T) {
	leads := lease("controller-1", time.Second)
	for name, tc := range map[string]struct {
		there []client.Object
		no    bool
		deny  string
		// code is the exit code; said is part of what is said, on standard output or as the error.
		code    int
		said    string
		created bool
		by      string
	}{
		"a controller leads":                      {there: []client.Object{leads}, said: "was created and approved", created: true, by: "jane"},
		"not confirmed":                           {there: []client.Object{leads}, no: true, code: 1, said: "naosu rebalance apply --namespace=shop --max-share=50 --yes"},
		"no Lease":                                {code: 2, said: "no controller of naosu leads"},
		"a Lease that has expired":                {there: []client.Object{lease("controller-1", time.Minute)}, code: 2, said: "no controller of naosu leads"},
		"a Lease that was released":               {there: []client.Object{lease("", time.Second)}, code: 2, said: "no controller of naosu leads"},
		"a Lease that may not be read":            {deny: "get", said: "was created and approved", created: true, by: "jane"},
		"the same request before":                 {there: []client.Object{leads, remediation("first", "web", nil)}, said: "remediation/first evicts pods of the same workloads and is Proposed (naosu approve first)"},
		"before, and approved":                    {there: []client.Object{leads, remediation("first", "web", func(r *v1alpha1.Remediation) { r.Spec.Approval = v1alpha1.Approved })}, said: "naosu remediations first --watch"},
		"before, and ended":                       {there: []client.Object{leads, remediation("first", "web", func(r *v1alpha1.Remediation) { r.Status.Phase = v1alpha1.PhaseEnded })}, said: "created and approved", created: true, by: "jane"},
		"a request for another workload":          {there: []client.Object{leads, remediation("first", "db", nil)}, said: "created and approved", created: true, by: "jane"},
		"a policy's Remediation that runs":        {there: []client.Object{leads, remediation("first", "web", ofPolicy(v1alpha1.PhaseRunning))}, said: "is Running"},
		"a policy's Remediation that is proposed": {there: []client.Object{leads, remediation("first", "web", ofPolicy(v1alpha1.PhaseProposed))}, said: "created and approved", created: true, by: "jane"},
		"may not create":                          {there: []client.Object{leads}, deny: "create", code: 2, said: "jane is not allowed to request these evictions"},
		"may not approve":                         {there: []client.Object{leads}, deny: "patch", code: 2, said: "jane is not allowed to approve", created: true},
	} {
		t.Run(name, func(t *testing.T) {
			objects := fakeObjects(t, tc.deny, tc.there)
			var out, trouble bytes.Buffer
			o := &ApplyOptions{Yes: !tc.no, objects: objects, PlanOptions: PlanOptions{MaxShare: 50, Options: input.Options{
				IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &trouble}, Config: genericclioptions.NewConfigFlags(false), Clock: clocktesting.NewFakePassiveClock(now),
			}}}
			o.scope.Namespace = "shop"
			err := o.request(t.Context(), message.English(), remediation("new", "web", nil))
			said := out.String() + trouble.String()
			if err != nil {
				said += err.Error()
			}
			if exit.Code(err) != tc.code || !strings.Contains(said, tc.said) {
				t.Errorf("exit code %d, want %d; said is\n%s", exit.Code(err), tc.code, said)
			}
			if tc.deny == "get" && !strings.Contains(trouble.String(), "It is not known whether a controller") {
				t.Errorf("nothing is said of the Lease: %s", trouble.String())
			}
			if tc.deny == "patch" && !strings.Contains(out.String(), "naosu approve new") {
				t.Errorf("nothing is said of the approval: %s", out.String())
			}
			var made v1alpha1.Remediation
			switch err := objects.Get(t.Context(), client.ObjectKey{Name: "new"}, &made); {
			case (err == nil) != tc.created:
				t.Errorf("created: %v", err)
			case err == nil && (made.Spec.Request.By != "jane" || made.Spec.ApprovedBy != tc.by || (made.Spec.Approval == v1alpha1.Approved) != (tc.by != "")):
				t.Errorf("requested by %q, %s by %q", made.Spec.Request.By, made.Spec.Approval, made.Spec.ApprovedBy)
			}
		})
	}
}

// fakeObjects is an API server with objects, on which the user is jane. It denies a verb.
func fakeObjects(t *testing.T, deny string, there []client.Object) connect.Objects {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return connect.Objects{Host: "host", WithWatch: fake.NewClientBuilder().WithScheme(scheme).WithObjects(there...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if _, is := o.(*coordinationv1.Lease); is && deny == "get" {
				return errDenied
			}
			return c.Get(ctx, key, o, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if review, is := o.(*authenticationv1.SelfSubjectReview); is {
				review.Status.UserInfo.Username = "jane"
				return nil
			}
			if deny == "create" {
				return errDenied
			}
			return c.Create(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if deny == "patch" {
				return errDenied
			}
			return c.Patch(ctx, o, patch, opts...)
		},
	}).Build()}
}
