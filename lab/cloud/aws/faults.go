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

// buckets limit how often each action may be called. A bucket holds so many calls and refills by so many a second, as EC2
// has it: 100 and 20 for reading, 50 and 10 for reading everything at once, 50 and 5 for changing.
// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
type buckets struct {
	pace     *pace.Pace
	limiters map[string]*rate.Limiter
}

// admit takes a token. AWS does not publish the limits of the other services; they have none here.
func (s *Server) admit(called *service, a request) bool {
	if called != ec2 {
		return true
	}
	name, size, refill := a.action, 50, 5.0
	if strings.HasPrefix(a.action, "Describe") {
		size, refill = 100, 20
		if !a.parameters.narrowed() {
			name, size, refill = a.action+" of everything", 50, 10
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limiter, known := s.buckets.limiters[name]
	if !known {
		limiter = rate.NewLimiter(rate.Limit(s.buckets.pace.Rate(refill)), size)
		if s.buckets.limiters == nil {
			s.buckets.limiters = map[string]*rate.Limiter{}
		}
		s.buckets.limiters[name] = limiter
	}
	return limiter.AllowN(s.Clock.Now(), 1)
}
