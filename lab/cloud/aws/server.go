package aws

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
)

// account owns everything in the lab. It is one of those that AWS uses in its documentation.
const account = "111122223333"

// largestRequest bounds a request's body, in bytes.
const largestRequest = 1 << 20

// Key is an access key, and what its owner may and may not do. Actions are in IAM's words, such as "ec2:RebootInstances".
type Key struct {
	ID, Secret string
	// Allowed are the only actions that are permitted; nil permits all. Denied are those that are not, even so.
	Allowed, Denied []string
}

// Options say what to serve.
type Options struct {
	Cloud *cloud.Cloud
	// Keys are the access keys that requests may be signed with.
	Keys []Key
	// ClusterName is the EKS cluster that the node groups belong to; without it, "naosu-lab".
	ClusterName string
	// Lag is by how much of the scenario Describe calls of EC2 and Auto Scaling are behind what has been done. AWS gives no
	// figure for its own. Zero is none.
	// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
	Lag time.Duration
	// Pace is that of the cloud: rate limits refill faster in a fast lab. Nil is real time.
	Pace *pace.Pace
	// Clock is that by which signatures expire and rate limits refill; nil is real time.
	Clock clock.PassiveClock
}

// Server answers AWS's calls for a cloud. It is an http.Handler.
type Server struct {
	Options

	delay time.Duration

	mu         sync.Mutex
	calls      []Call
	script     []*scripted
	emptyPages map[string]int
	hooks      map[string]*hook
	buckets    buckets
	// resizes are the updates of sizes, oldest first; failResize is how the next one fails, nil if it does not.
	resizes    []resize
	failResize *updateError
}

// New returns a server of the cloud.
func New(o Options) *Server {
	if o.ClusterName == "" {
		o.ClusterName = "naosu-lab"
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	o.Cloud.Remember(o.Lag)
	return &Server{Options: o, buckets: buckets{pace: o.Pace}}
}

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := string(uuid.NewUUID())
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestRequest))
	if err != nil {
		http.Error(w, "reading the request: "+err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.hold(r.Context())

	signed, fault := readAuthorization(r)
	called := serviceOf(signed)
	a := request{id: id, server: s}
	a.action, a.parameters = called.read(r)
	var result any
	if fault == nil {
		fault = s.authenticate(called, signed, r, body)
	}
	if fault == nil {
		result, fault = s.perform(called, signed.key, a)
	}
	s.record(called, signed.key, a, fault)
	if fault != nil {
		called.refuse(w, id, asError(fault))
		return
	}
	called.answer(w, id, a.action, result)
}

// delayedView is the cloud as Describe calls see it.
func (s *Server) delayedView() cloud.View { return s.Cloud.AsOf(s.Lag) }

// hold keeps an answer back for the time that a real one would take.
func (s *Server) hold(ctx context.Context) {
	if s.delay == 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(s.delay):
	}
}

// perform carries out a call, unless a script, a rate limit or the caller's permissions prevent it.
func (s *Server) perform(called *service, key string, a request) (any, error) {
	operation, known := called.operations[a.action]
	if !known {
		return nil, refuse("InvalidAction", "The action %s is not valid for this web service.", a.action)
	}
	if err := s.takeScripted(called.name + ":" + a.action); err != nil {
		return nil, err
	}
	if !s.admit(called, a) {
		return nil, refuse(CodeRequestLimitExceeded, "Request limit exceeded.")
	}
	if s.denied(key, called.name+":"+a.action) {
		return nil, called.deny(a.action)
	}
	dry, err := a.parameters.flag("DryRun")
	if err != nil {
		return nil, err
	}
	if called == ec2 && dry {
		return nil, refuse("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
	}
	s.runHook(called.name + ":" + a.action)
	return operation(a)
}
