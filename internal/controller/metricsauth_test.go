package controller

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	clocktesting "k8s.io/utils/clock/testing"
)

// reviewer is an API server that knows the tokens of accounts, and lets some of them get /metrics.
type reviewer struct {
	authenticationclient.TokenReviewInterface
	accounts map[string]authentication.UserInfo
	away     error
	asked    int
}

func (r *reviewer) Create(_ context.Context, review *authentication.TokenReview, _ metav1.CreateOptions) (*authentication.TokenReview, error) {
	r.asked++
	review.Status.User, review.Status.Authenticated = r.accounts[review.Spec.Token], r.accounts[review.Spec.Token].Username != ""
	return review, r.away
}

type rights struct {
	authorizationclient.SubjectAccessReviewInterface
	denied bool
	away   error
	asked  []authorization.SubjectAccessReviewSpec
}

func (r *rights) Create(_ context.Context, review *authorization.SubjectAccessReview, _ metav1.CreateOptions) (*authorization.SubjectAccessReview, error) {
	r.asked = append(r.asked, review.Spec)
	for _, group := range review.Spec.Groups {
		review.Status.Allowed = review.Status.Allowed || group == "readers" && review.Spec.NonResourceAttributes.Path == "/metrics" && review.Spec.NonResourceAttributes.Verb == "get"
	}
	review.Status.Denied = r.denied
	return review, r.away
}

func TestOnlyReaders(t *testing.T) {
	away := errors.New("nobody answers")
	for name, tc := range map[string]struct {
		method, path, authorization string
		accounts                    error
		rights                      rights
		want                        int
	}{
		"a reader":                       {authorization: "Bearer reads", want: http.StatusOK},
		"the scheme in small letters":    {authorization: "bearer reads", want: http.StatusOK},
		"nobody":                         {want: http.StatusUnauthorized},
		"no token":                       {authorization: "Bearer ", want: http.StatusUnauthorized},
		"another scheme":                 {authorization: "Basic reads", want: http.StatusUnauthorized},
		"two tokens":                     {authorization: "Bearer reads works", want: http.StatusUnauthorized},
		"a token that nobody knows":      {authorization: "Bearer forged", want: http.StatusUnauthorized},
		"without the right":              {authorization: "Bearer works", want: http.StatusForbidden},
		"another path":                   {path: "/debug", authorization: "Bearer reads", want: http.StatusForbidden},
		"another verb":                   {method: http.MethodPost, authorization: "Bearer reads", want: http.StatusForbidden},
		"allowed by one, denied by all":  {authorization: "Bearer reads", rights: rights{denied: true}, want: http.StatusForbidden},
		"it is not known whose token":    {authorization: "Bearer reads", accounts: away, want: http.StatusInternalServerError},
		"it is not known what is right":  {authorization: "Bearer reads", rights: rights{away: away}, want: http.StatusInternalServerError},
		"nobody, with nobody to ask":     {accounts: away, want: http.StatusUnauthorized},
		"a stranger, and nobody answers": {authorization: "Bearer forged", accounts: away, want: http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			tokens := someAccounts()
			tokens.away = tc.accounts
			r := newRequestReviewer(tokens, &tc.rights, stoppedClock())
			if got := request(t, r, tc.method, tc.path, tc.authorization); got != tc.want {
				t.Errorf("%d, want %d", got, tc.want)
			}
		})
	}
}

// Answers hold for a while, and each for the account and the request it was given for. An error does not.
func TestReviewsHold(t *testing.T) {
	tokens, may, now := someAccounts(), &rights{}, stoppedClock()
	r := newRequestReviewer(tokens, may, now)
	ask := func(step string, token string, want, reviews, rights int) {
		t.Helper()
		if got := request(t, r, "", "", "Bearer "+token); got != want || tokens.asked != reviews || len(may.asked) != rights {
			t.Errorf("%s: %d after %d and %d reviews, want %d after %d and %d", step, got, tokens.asked, len(may.asked), want, reviews, rights)
		}
	}
	may.away = errors.New("nobody answers")
	ask("nobody answers", "reads", http.StatusInternalServerError, 1, 1)
	may.away = nil
	ask("it answers again", "reads", http.StatusOK, 1, 2)
	ask("at once", "reads", http.StatusOK, 1, 2)
	ask("another account", "works", http.StatusForbidden, 2, 3)
	now.SetTime(now.Now().Add(31 * time.Second))
	ask("a no, half a minute later", "works", http.StatusForbidden, 2, 4)
	now.SetTime(now.Now().Add(30 * time.Second))
	ask("a yes, a minute later", "reads", http.StatusOK, 3, 4)
	tokens.accounts["reads"] = authentication.UserInfo{Username: "prometheus", UID: "1"}
	ask("within the minute", "reads", http.StatusOK, 3, 4)
	now.SetTime(now.Now().Add(61 * time.Second))
	ask("no longer among the readers", "reads", http.StatusForbidden, 4, 5)
}

// The API server is told all of the account, since an authorizer may go by any of it.
func TestReviewIsOfTheWholeAccount(t *testing.T) {
	tokens, may := someAccounts(), &rights{}
	request(t, newRequestReviewer(tokens, may, stoppedClock()), "", "", "Bearer reads")
	want := authorization.SubjectAccessReviewSpec{
		User: "prometheus", UID: "1", Groups: []string{"system:authenticated", "readers"},
		Extra:                 map[string]authorization.ExtraValue{"authentication.kubernetes.io/pod-name": {"prometheus-0"}},
		NonResourceAttributes: &authorization.NonResourceAttributes{Verb: "get", Path: "/metrics"},
	}
	if diff := cmp.Diff([]authorization.SubjectAccessReviewSpec{want}, may.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func someAccounts() *reviewer {
	return &reviewer{accounts: map[string]authentication.UserInfo{
		"reads": {Username: "prometheus", UID: "1", Groups: []string{"system:authenticated", "readers"}, Extra: map[string]authentication.ExtraValue{
			"authentication.kubernetes.io/pod-name": {"prometheus-0"},
		}},
		"works": {Username: "worker", UID: "2", Groups: []string{"system:authenticated"}},
	}}
}

func stoppedClock() *clocktesting.FakePassiveClock {
	return clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
}

func request(t *testing.T, r *requestReviewer, method, path, authorization string) int {
	t.Helper()
	handler, err := r.filter(logr.Discard(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		t.Fatal(err)
	}
	if path == "" {
		path = "/metrics"
	}
	asked := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	asked.Header.Set("Authorization", authorization)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, asked)
	return recorder.Code
}
