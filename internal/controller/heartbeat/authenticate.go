package heartbeat

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	authentication "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

const (
	// reviewTimeout is how long a request waits for its review, the time in the queue included.
	reviewTimeout = 10 * time.Second
	// maxReviews bounds the TokenReviews at the same time.
	maxReviews = 32
	// reviewsPerSecond bounds the TokenReviews of a replica: 5,000 agents are back within 20 seconds.
	reviewsPerSecond = 300
	// maxToken is the longest token in bytes. That of a service account has about 1,300.
	maxToken = 8 << 10

	// failuresKept bounds the addresses whose failures are counted, failuresTTL for how long.
	failuresKept = 4096
	failuresTTL  = 10 * time.Minute
	// failuresAtOnce and failureInterval are how many requests of an address may fail: that many at once, and then one per interval.
	failuresAtOnce  = 10
	failureInterval = 10 * time.Second
)

// The extras with which the API server says what node the pod of a token runs on (k8s.io/apiserver/pkg/authentication/serviceaccount).
const (
	nodeNameExtra = "authentication.kubernetes.io/node-name"
	nodeUIDExtra  = "authentication.kubernetes.io/node-uid"
)

// refusal is why a stream is not opened.
type refusal struct {
	code int
	text string
	// failed says that the request is at fault, and not this side.
	failed bool
	// err is why this side is at fault. It is logged; a stranger is not told.
	err error
}

// node is the node that a token was issued for.
type node struct {
	name string
	uid  types.UID
}

// authenticator asks the API server whose tokens are. What strangers can make it ask is bounded in number, in rate, and by address.
type authenticator struct {
	tokens  authenticationclient.TokenReviewInterface
	user    string
	running chan struct{}
	rate    *rate.Limiter

	mu       sync.Mutex
	failures *cache.LRUExpireCache // *rate.Limiter by address
}

func newAuthenticator(tokens authenticationclient.TokenReviewInterface, user string) *authenticator {
	return &authenticator{
		tokens: tokens, user: user, running: make(chan struct{}, maxReviews), rate: rate.NewLimiter(reviewsPerSecond, reviewsPerSecond),
		failures: cache.NewLRUExpireCache(failuresKept),
	}
}

// node returns the node of a request's token, or why it is refused.
func (a *authenticator) node(ctx context.Context, address string, header http.Header) (node, *refusal) {
	if !a.mayTry(address) {
		return node{}, &refusal{code: http.StatusTooManyRequests, text: "Too many requests from this address have failed"}
	}
	token, bearer := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	if !bearer {
		token = ""
	}
	n, refused := a.review(ctx, token)
	if refused != nil && refused.failed {
		a.fail(address)
	}
	return n, refused
}

// mayTry says whether an address has not failed too often.
func (a *authenticator) mayTry(address string) bool {
	known, ok := a.failures.Get(address)
	return !ok || known.(*rate.Limiter).Tokens() >= 1
}

// fail counts a failure of an address.
func (a *authenticator) fail(address string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.failures.Get(address)
	if !ok {
		known = rate.NewLimiter(rate.Every(failureInterval), failuresAtOnce)
	}
	known.(*rate.Limiter).Allow()
	a.failures.Add(address, known, failuresTTL)
}

func (a *authenticator) review(ctx context.Context, token string) (node, *refusal) {
	if len(token) > maxToken || strings.Count(token, ".") != 2 {
		return node{}, &refusal{code: http.StatusUnauthorized, text: "A service account's token is needed", failed: true}
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	select {
	case a.running <- struct{}{}:
		defer func() { <-a.running }()
	case <-ctx.Done():
		return node{}, &refusal{code: http.StatusServiceUnavailable, text: "Too many tokens are being reviewed"}
	}
	if err := a.rate.Wait(ctx); err != nil {
		return node{}, &refusal{code: http.StatusServiceUnavailable, text: "Too many tokens are being reviewed"}
	}
	spec := authentication.TokenReviewSpec{Token: token, Audiences: []string{heartbeat.Audience}}
	answer, err := a.tokens.Create(ctx, &authentication.TokenReview{Spec: spec}, metav1.CreateOptions{})
	if err != nil {
		return node{}, &refusal{code: http.StatusServiceUnavailable, text: "The API server did not review the token", err: fmt.Errorf("create a TokenReview: %w", err)}
	}
	return a.judge(answer.Status)
}

// judge returns the node that a reviewed token was issued for.
func (a *authenticator) judge(status authentication.TokenReviewStatus) (node, *refusal) {
	refuse := func(code int, text string, values ...any) (node, *refusal) {
		return node{}, &refusal{code: code, text: fmt.Sprintf(text, values...), failed: true}
	}
	name, uid := status.User.Extra[nodeNameExtra], status.User.Extra[nodeUIDExtra]
	switch {
	case !status.Authenticated:
		return refuse(http.StatusUnauthorized, "The API server does not accept the token")
	case !slices.Contains(status.Audiences, heartbeat.Audience):
		return refuse(http.StatusUnauthorized, "The token is not for the audience %s", heartbeat.Audience)
	case status.User.Username != a.user:
		return refuse(http.StatusForbidden, "The token is that of %s, and must be that of %s", status.User.Username, a.user)
	case len(name) != 1 || len(uid) != 1 || name[0] == "" || uid[0] == "":
		return refuse(http.StatusForbidden, "The token does not say what node it was issued for: it must be bound to a pod, and Kubernetes be 1.32 or later")
	}
	return node{name: name[0], uid: types.UID(uid[0])}, nil
}
