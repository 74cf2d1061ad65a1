package aws

import (
	"slices"
	"strings"

	"golang.org/x/time/rate"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
)

type scripted struct {
	action string
	times  int
	fault  *cloud.Error
}

// Script has the next calls of an action, such as "ec2:RebootInstances", answered with a fault. Faults of the same action
// follow one another.
func (s *Server) Script(action string, times int, fault *cloud.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, &scripted{action: action, times: times, fault: fault})
}

func (s *Server) takeScripted(action string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.script, func(next *scripted) bool { return next.action == action && next.times > 0 })
	if at < 0 {
		return nil
	}
	s.script[at].times--
	return s.script[at].fault
}

// ScriptEmptyPages has the next calls of a Describe action, such as "ec2:DescribeNetworkInterfaces", answered with an empty page that is
// not the last.
func (s *Server) ScriptEmptyPages(action string, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.emptyPages == nil {
		s.emptyPages = map[string]int{}
	}
	s.emptyPages[action] += times
}

func (s *Server) takeEmptyPage(action string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.emptyPages[action] == 0 {
		return false
	}
	s.emptyPages[action]--
	return true
}

// hook is what happens right before the next calls of an action are performed.
type hook struct {
	times int
	do    func()
}

// Before has something happen right before each of the next calls of an action is performed, which the caller cannot have seen
// coming: an interface is attached between being listed and being deleted.
func (s *Server) Before(action string, times int, do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hooks == nil {
		s.hooks = map[string]*hook{}
	}
	s.hooks[action] = &hook{times, do}
}

func (s *Server) runHook(action string) {
	s.mu.Lock()
	h := s.hooks[action]
	due := h != nil && h.times > 0
	if due {
		h.times--
	}
	s.mu.Unlock()
	if due {
		h.do()
	}
}

// Admit takes a call of EC2 from the account's limits for a part of the lab that calls the cloud directly: AWS limits all callers of an account
// together.
func (s *Server) Admit(action string) error {
	if !s.admit(ec2, request{action: action, parameters: parameters{"MaxResults": {"1000"}}}) {
		return refuse(CodeRequestLimitExceeded, "Request limit exceeded.")
	}
	return nil
}

// CodeRequestLimitExceeded is EC2's for a call beyond the account's limits.
const CodeRequestLimitExceeded = "RequestLimitExceeded"

// buckets limit how often each action may be called. A bucket holds so many calls and refills by so many a second, as EC2
// has it: 100 and 20 for reading, 50 and 10 for reading everything at once, 50 and 5 for changing, but for what ownLimits has.
// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
type buckets struct {
	pace     *pace.Pace
	limiters map[string]*rate.Limiter
}

// limit is the size of a bucket, and by how much it refills a second.
type limit struct {
	size   int
	refill float64
}

var ownLimits = map[string]limit{
	"AssignPrivateIpAddresses":        {100, 5},
	"CreateNetworkInterface":          {100, 5},
	"CreateTags":                      {100, 10},
	"DeleteNetworkInterface":          {100, 5},
	"ModifyNetworkInterfaceAttribute": {100, 5},
	"UnassignPrivateIpAddresses":      {100, 5},
}

// limitOf is the bucket that a call takes from.
func limitOf(a request) (bucket string, of limit) {
	if strings.HasPrefix(a.action, "Describe") {
		if !a.parameters.narrowed() {
			return a.action + " of everything", limit{50, 10}
		}
		return a.action, limit{100, 20}
	}
	if strings.HasPrefix(a.action, "Get") {
		return a.action, limit{100, 20}
	}
	if own, has := ownLimits[a.action]; has {
		return a.action, own
	}
	return a.action, limit{50, 5}
}

// admit takes a token. AWS does not publish the limits of the other services; they have none here.
func (s *Server) admit(called *service, a request) bool {
	if called != ec2 {
		return true
	}
	name, of := limitOf(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	limiter, known := s.buckets.limiters[name]
	if !known {
		limiter = rate.NewLimiter(rate.Limit(s.buckets.pace.Rate(of.refill)), of.size)
		if s.buckets.limiters == nil {
			s.buckets.limiters = map[string]*rate.Limiter{}
		}
		s.buckets.limiters[name] = limiter
	}
	return limiter.AllowN(s.Clock.Now(), 1)
}
