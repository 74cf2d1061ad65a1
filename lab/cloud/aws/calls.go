package aws

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// Call is one call that was made, refused ones included.
type Call struct {
	At time.Time
	// Key is the access key's ID that the caller named.
	Key string
	// Service and Action are in IAM's words, such as "ec2" and "RebootInstances".
	Service, Action string
	Parameters      map[string][]string
	// Code is the error's, empty where the call was answered.
	Code   string
	Status int
}

// remembered is how many calls are kept.
const remembered = 10_000

// Calls are the calls so far, oldest first; of very many, the last 10,000.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Server) record(called *service, key string, a request, fault error) {
	c := Call{
		At: s.Clock.Now(), Key: key, Service: called.name, Action: a.action,
		Parameters: maps.Clone(a.parameters), Status: http.StatusOK,
	}
	if fault != nil {
		c.Code = asError(fault).Code
		c.Status = statusOf(c.Code)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == remembered {
		s.calls = slices.Delete(s.calls, 0, 1)
	}
	s.calls = append(s.calls, c)
}

// denied says whether the key's owner lacks the permission.
func (s *Server) denied(key, action string) bool {
	return slices.ContainsFunc(s.Keys, func(k Key) bool {
		return k.ID == key && (slices.Contains(k.Denied, action) || k.Allowed != nil && !slices.Contains(k.Allowed, action))
	})
}
