package aws

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// resizeTakes is for how long an update of a group's size is in progress, in scenario time. AWS gives no figure; it is tens of seconds.
const resizeTakes = 20 * time.Second

// Codes of EKS.
const (
	codeInUse       = "ResourceInUseException"
	codeInvalid     = "InvalidParameterException"
	statusActive    = "ACTIVE"
	statusUpdating  = "UPDATING"
	updateProgress  = "InProgress"
	updateSucceeded = "Successful"
	updateFailed    = "Failed"
)

// resize is an update of the size of a managed node group.
type resize struct {
	update
	group, token string
	done         time.Time
}

// FailNextResize has the next update of a node group's size fail after it has begun, with an error as DescribeUpdate has it. The size stays.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_ErrorDetail.html
func (s *Server) FailNextResize(code, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failResize = &updateError{Code: code, Message: message, Resources: []string{}}
}

// resizing says whether an update of the group is in progress.
func (s *Server) resizing(group string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.resizes, func(u resize) bool { return u.group == group && s.Clock.Now().Before(u.done) })
}

// resizeNodegroup changes the sizes of a group that scalingConfig has. A request with the token of an earlier one is that one.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html
func (r request) resizeNodegroup(g cloud.Group, given string) (any, error) {
	s, token := r.server, strings.Trim(r.parameters.text("clientRequestToken"), `"`)
	s.mu.Lock()
	at := slices.IndexFunc(s.resizes, func(u resize) bool { return token != "" && u.token == token })
	s.mu.Unlock()
	if at >= 0 {
		return map[string]update{"update": s.shown(at)}, nil
	}
	wanted := scaling{g.Min, g.Max, g.Desired}
	if err := json.Unmarshal([]byte(given), &wanted); err != nil {
		return nil, refuse(codeInvalid, "scalingConfig: %v", err)
	}
	switch {
	case s.resizing(g.Name):
		return nil, refuse(codeInUse, "Nodegroup %s is currently being updated.", g.Name)
	case wanted.MinSize < 0 || wanted.MaxSize < 1:
		return nil, refuse(codeInvalid, "The minimum size must be at least 0, and the maximum size at least 1.")
	case wanted.MinSize > wanted.DesiredSize:
		return nil, refuse(codeInvalid, "Minimum capacity %d can't be greater than desired size %d", wanted.MinSize, wanted.DesiredSize)
	case wanted.DesiredSize > wanted.MaxSize:
		return nil, refuse(codeInvalid, "desired capacity %d can't be greater than max size %d", wanted.DesiredSize, wanted.MaxSize)
	}
	now := s.Clock.Now()
	u := resize{group: g.Name, token: token, done: now.Add(s.Pace.Real(resizeTakes)), update: update{
		ID: r.id, Status: updateProgress, Type: "ConfigUpdate", CreatedAt: float64(now.UnixNano()) / float64(time.Second),
		Params: []updateParam{
			{"MinSize", strconv.Itoa(wanted.MinSize)}, {"MaxSize", strconv.Itoa(wanted.MaxSize)}, {"DesiredSize", strconv.Itoa(wanted.DesiredSize)},
		},
	}}
	s.mu.Lock()
	failed := s.failResize
	s.failResize = nil
	s.mu.Unlock()
	if failed != nil {
		u.Errors = []updateError{*failed}
	} else if err := s.Cloud.SetSize(g.Name, wanted.MinSize, wanted.DesiredSize, wanted.MaxSize); err != nil {
		return nil, refuse(codeInvalid, "%s", asError(err).Message)
	}
	s.mu.Lock()
	s.resizes = append(s.resizes, u)
	s.mu.Unlock()
	return map[string]update{"update": u.update}, nil
}

// shown is an update as it is now.
func (s *Server) shown(at int) update {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.resizes[at]
	if !s.Clock.Now().Before(u.done) {
		u.Status = updateSucceeded
		if len(u.Errors) > 0 {
			u.Status = updateFailed
		}
	} else {
		u.Errors = nil
	}
	return u.update
}

// readDescribeUpdate knows GET /clusters/NAME/updates/ID.
func readDescribeUpdate(r *http.Request, parts []string) (action string, given parameters) {
	if r.Method != http.MethodGet {
		return "", nil
	}
	return "DescribeUpdate", parameters{"name": {parts[1]}, "updateId": {parts[3]}, "nodegroupName": {r.URL.Query().Get("nodegroupName")}}
}

// https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeUpdate.html
func describeUpdate(r request) (any, error) {
	g, err := r.nodegroup()
	if err != nil {
		return nil, err
	}
	id := r.parameters.text("updateId")
	r.server.mu.Lock()
	at := slices.IndexFunc(r.server.resizes, func(u resize) bool { return u.ID == id && u.group == g.Name })
	r.server.mu.Unlock()
	if at < 0 {
		return nil, refuse("ResourceNotFoundException", "No update found for ID: %s", id)
	}
	return map[string]update{"update": r.server.shown(at)}, nil
}
