package heartbeat_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	authentication "k8s.io/api/authentication/v1"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

// Only agents with a token of the right account, audience and kind get a stream.
func TestWhoGetsAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		defer f.end(t)
		change := func(token string, do func(*authentication.TokenReviewStatus)) {
			status := reviewed("n")
			do(&status)
			f.reviewer.statuses[token] = status
		}
		change("other.audience.x", func(s *authentication.TokenReviewStatus) { s.Audiences = []string{"https://kubernetes.default.svc"} })
		change("no.audience.x", func(s *authentication.TokenReviewStatus) { s.Audiences = nil })
		change("other.account.x", func(s *authentication.TokenReviewStatus) {
			s.User.Username = "system:serviceaccount:default:naosu-agent"
		})
		change("no.node.x", func(s *authentication.TokenReviewStatus) { s.User.Extra = nil })
		change("no.uid.x", func(s *authentication.TokenReviewStatus) {
			delete(s.User.Extra, "authentication.kubernetes.io/node-uid")
		})
		change("two.nodes.x", func(s *authentication.TokenReviewStatus) {
			s.User.Extra["authentication.kubernetes.io/node-uid"] = authentication.ExtraValue{"a", "b"}
		})
		change("not.authenticated.x", func(s *authentication.TokenReviewStatus) { s.Authenticated = false })
		tests := []struct {
			name, token string
			request     func(*http.Request)
			code        int
			text        string
			reviews     int
		}{
			{name: "an agent", token: tokenOf("n"), code: 200, reviews: 1},
			{name: "an unknown token", token: "a.b.c", code: 401, text: "does not accept", reviews: 1},
			{name: "not authenticated", token: "not.authenticated.x", code: 401, text: "does not accept", reviews: 1},
			{name: "another audience", token: "other.audience.x", code: 401, text: "not for the audience naosu-heartbeat", reviews: 1},
			{name: "an API server that knows no audiences", token: "no.audience.x", code: 401, text: "not for the audience", reviews: 1},
			{name: "another account", token: "other.account.x", code: 403, text: "system:serviceaccount:default:naosu-agent", reviews: 1},
			{name: "without a node", token: "no.node.x", code: 403, text: "1.32", reviews: 1},
			{name: "without the node's UID", token: "no.uid.x", code: 403, text: "1.32", reviews: 1},
			{name: "two nodes", token: "two.nodes.x", code: 403, text: "1.32", reviews: 1},
			{name: "no token", request: func(r *http.Request) { r.Header.Del("Authorization") }, code: 401},
			{name: "another scheme", token: "n", request: func(r *http.Request) { r.Header.Set("Authorization", "Basic "+tokenOf("n")) }, code: 401},
			{name: "no JWT", token: "password", code: 401},
			{name: "a huge token", token: "a.b." + strings.Repeat("c", 9<<10), code: 401},
			{name: "another path", token: tokenOf("n"), request: func(r *http.Request) { r.URL.Path = "/" }, code: 404},
			{name: "another method", token: tokenOf("n"), request: func(r *http.Request) { r.Method = http.MethodPut }, code: 405},
			{name: "a long boot ID", token: tokenOf("n"), request: func(r *http.Request) { r.Header.Set(heartbeat.BootIDHeader, strings.Repeat("x", 65)) }, code: 400},
		}
		for i, test := range tests {
			asked := f.reviewer.asked
			if test.request == nil {
				test.request = func(*http.Request) {}
			}
			c := f.dial(t, from(i), test.token, test.request)
			if c.code != test.code || !strings.Contains(c.text, test.text) || f.reviewer.asked-asked != test.reviews {
				t.Errorf("%s: %d %q after %d reviews, want %d %q after %d", test.name, c.code, c.text, f.reviewer.asked-asked, test.code, test.text, test.reviews)
			}
			c.close()
		}
		synctest.Wait()
		if got := f.Streams(); len(got) != 1 || got[0].UID != "uid-n" || got[0].BootID != "boot-a.n.c" {
			t.Errorf("streams: %v", got)
		}
	})
}

// While the API server fails or does not answer, agents are told to come back, and few reviews run at the same time.
func TestAPIServerAway(t *testing.T) {
	for name, wait := range map[string]func(context.Context) error{
		"errors":    func(context.Context) error { return errors.New("etcdserver: no leader") },
		"no answer": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := serve(t, "n")
				defer f.end(t)
				f.reviewer.wait = wait
				var dialing sync.WaitGroup
				for i := range 200 {
					dialing.Go(func() {
						if c := f.dial(t, from(i), tokenOf("n")); c.code != http.StatusServiceUnavailable || strings.Contains(c.text, "etcd") {
							t.Errorf("%d %s", c.code, c.text)
						}
					})
				}
				dialing.Wait()
				if f.reviewer.most > 32 || len(f.Streams()) != 0 {
					t.Errorf("%d reviews at the same time, %d streams", f.reviewer.most, len(f.Streams()))
				}
				// An agent is not held responsible for it.
				f.reviewer.wait = nil
				if c := f.dial(t, from(0), tokenOf("n")); c.code != http.StatusOK {
					t.Errorf("later: %d %s", c.code, c.text)
				}
			})
		})
	}
}

// The reviews of a replica are bounded in rate: each second a few hundred, however many agents come.
func TestReviewsAreSpread(t *testing.T) {
	const agents = 900
	synctest.Test(t, func(t *testing.T) {
		var nodes []string
		for i := range agents {
			nodes = append(nodes, fmt.Sprint("n", i))
		}
		f := serve(t, nodes...)
		defer f.end(t)
		began := time.Now()
		var dialing sync.WaitGroup
		for i, node := range nodes {
			dialing.Go(func() {
				if c := f.dial(t, from(i), tokenOf(node)); c.code != http.StatusOK {
					t.Errorf("%d %s", c.code, c.text)
				}
			})
		}
		dialing.Wait()
		// 300 at once, the others at 300 a second.
		if took := time.Since(began).Round(time.Second); took != 2*time.Second || f.reviewer.asked != agents || len(f.Streams()) != agents {
			t.Errorf("%d reviews and %d streams in %s", f.reviewer.asked, len(f.Streams()), took)
		}
	})
}

// A stranger costs the API server ten reviews, and then one each ten seconds, whatever it sends, and others none of theirs.
func TestStrangersAreNotReviewedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		defer f.end(t)
		for range 100 {
			f.dial(t, "10.0.0.66:1", "forged.by.me")
		}
		if f.reviewer.asked != 10 {
			t.Errorf("%d reviews", f.reviewer.asked)
		}
		if c := f.dial(t, "10.0.0.66:1", tokenOf("n")); c.code != http.StatusTooManyRequests {
			t.Errorf("the same address: %d", c.code)
		}
		if c := f.dial(t, "10.0.0.67:1", tokenOf("n")); c.code != http.StatusOK {
			t.Errorf("another address: %d", c.code)
		}
		<-time.After(time.Minute)
		for range 100 {
			f.dial(t, "10.0.0.66:1", "forged.by.me")
		}
		if f.reviewer.asked != 10+1+6 {
			t.Errorf("%d reviews a minute later", f.reviewer.asked)
		}
	})
}

// An agent whose token is valid cannot cost one review after the other, either.
func TestStreamsInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "n")
		defer f.end(t)
		for range 100 {
			f.dial(t, from(1), tokenOf("n")).close()
			synctest.Wait()
		}
		if f.reviewer.asked > 11 {
			t.Errorf("%d reviews", f.reviewer.asked)
		}
	})
}
