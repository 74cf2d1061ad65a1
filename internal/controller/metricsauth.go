package controller

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	// How long an answer of the API server holds, as in controller-runtime's filters.WithAuthenticationAndAuthorization.
	accountTTL = time.Minute
	allowedTTL = 5 * time.Minute
	deniedTTL  = 30 * time.Second
	// reviewTimeout is how long a scrape waits for one answer.
	reviewTimeout = 10 * time.Second
	// reviewsKept bounds what strangers can make the controller remember.
	reviewsKept = 1024
)

// requestReviewer asks the API server whose a bearer token is (TokenReview), and whether that account may do a request
// (SubjectAccessReview). controller-runtime's own filter does so with k8s.io/apiserver, which links gRPC and OpenTelemetry,
// and through them html/template: with that, the linker keeps every exported method of every type.
type requestReviewer struct {
	tokens   authenticationclient.TokenReviewInterface
	rights   authorizationclient.SubjectAccessReviewInterface
	accounts *cache.LRUExpireCache // The account, nil for none, by the token's digest.
	allowed  *cache.LRUExpireCache // Whether that is allowed, by the digest of what was asked.
}

// withAuthorization lets a request through if the API server knows its account and allows the account to do it. It is a
// server.Options.FilterProvider.
func withAuthorization(config *rest.Config, client *http.Client) (server.Filter, error) {
	tokens, err := authenticationclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("make a client for TokenReviews: %w", err)
	}
	rights, err := authorizationclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("make a client for SubjectAccessReviews: %w", err)
	}
	return newRequestReviewer(tokens.TokenReviews(), rights.SubjectAccessReviews(), clock.RealClock{}).filter, nil
}

func newRequestReviewer(tokens authenticationclient.TokenReviewInterface, rights authorizationclient.SubjectAccessReviewInterface, now cache.Clock) *requestReviewer {
	return &requestReviewer{
		tokens: tokens, rights: rights,
		accounts: cache.NewLRUExpireCacheWithClock(reviewsKept, now), allowed: cache.NewLRUExpireCacheWithClock(reviewsKept, now),
	}
}

// filter answers 401 without a token that the API server knows, 403 without the right, and 500 where it does not say.
func (r *requestReviewer) filter(log logr.Logger, next http.Handler) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		account, err := r.account(request.Context(), bearerToken(request.Header))
		if err != nil {
			log.Error(err, "A scrape's token was not reviewed")
			http.Error(w, "Authentication failed", http.StatusInternalServerError)
			return
		}
		if account == nil {
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
			return
		}
		allowed, err := r.may(request.Context(), *account, strings.ToLower(request.Method), request.URL.Path)
		if err != nil {
			log.Error(err, "A scraper's right was not reviewed", "user", account.Username)
			http.Error(w, "Authorization failed", http.StatusInternalServerError)
			return
		}
		if !allowed {
			http.Error(w, "Forbidden for "+account.Username, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, request)
	}), nil
}

// bearerToken is the token of RFC 6750, section 2.1, empty where there is none.
func bearerToken(header http.Header) string {
	words := strings.Fields(header.Get("Authorization"))
	if len(words) != 2 || !strings.EqualFold(words[0], "Bearer") {
		return ""
	}
	return words[1]
}

// account is whose a token is, nil where the API server does not know it.
func (r *requestReviewer) account(ctx context.Context, token string) (*authentication.UserInfo, error) {
	if token == "" {
		return nil, nil
	}
	digest := sha256.Sum256([]byte(token))
	if known, ok := r.accounts.Get(digest); ok {
		return known.(*authentication.UserInfo), nil
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	review, err := r.tokens.Create(ctx, &authentication.TokenReview{Spec: authentication.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create a TokenReview: %w", err)
	}
	var account *authentication.UserInfo
	if review.Status.Authenticated {
		account = &review.Status.User
	}
	r.accounts.Add(digest, account, accountTTL)
	return account, nil
}

// may says whether an account may do what a request asks for.
func (r *requestReviewer) may(ctx context.Context, account authentication.UserInfo, verb, path string) (bool, error) {
	spec := authorization.SubjectAccessReviewSpec{
		User: account.Username, UID: account.UID, Groups: account.Groups, Extra: map[string]authorization.ExtraValue{},
		NonResourceAttributes: &authorization.NonResourceAttributes{Verb: verb, Path: path},
	}
	for name, values := range account.Extra {
		spec.Extra[name] = authorization.ExtraValue(values)
	}
	asked, err := json.Marshal(spec)
	if err != nil {
		return false, fmt.Errorf("write a SubjectAccessReview: %w", err)
	}
	digest := sha256.Sum256(asked)
	if known, ok := r.allowed.Get(digest); ok {
		return known.(bool), nil
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	review, err := r.rights.Create(ctx, &authorization.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("create a SubjectAccessReview: %w", err)
	}
	allowed := review.Status.Allowed && !review.Status.Denied
	ttl := deniedTTL
	if allowed {
		ttl = allowedTTL
	}
	r.allowed.Add(digest, allowed, ttl)
	return allowed, nil
}
