package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const remediations = "/apis/naosu.dev/v1alpha1/remediations"

// Remediation is what the agent reads of one. api/v1alpha1 documents the fields; its types would link more than the rest of this package.
type Remediation struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Node struct {
			Name string `json:"name"`
			UID  string `json:"uid"`
		} `json:"node"`
		Plan []Change `json:"plan"`
		// Action and Service are of records without a plan.
		Action  string `json:"action"`
		Service string `json:"service"`
		Drill   *Drill `json:"drill"`
	} `json:"spec"`
	Status struct {
		Phase string  `json:"phase"`
		Steps []Step  `json:"steps"`
		Agent *Report `json:"agent"`
	} `json:"status"`
}

// Change is one thing that is done to the node.
type Change struct {
	Action     string `json:"action"`
	Parameters struct {
		Service string `json:"service"`
	} `json:"parameters"`
}

// Restarts is the unit that a Remediation restarts; false if it restarts none.
func (r *Remediation) Restarts() (service string, ok bool) {
	action, service := r.Spec.Action, r.Spec.Service
	if len(r.Spec.Plan) == 1 {
		action, service = r.Spec.Plan[0].Action, r.Spec.Plan[0].Parameters.Service
	}
	return service, action == "RestartService"
}

// Drill is a drill to be run.
type Drill struct {
	Nonce     string `json:"nonce"`
	Condition string `json:"condition"`
	Reason    string `json:"reason"`
	Depth     string `json:"depth"`
}

// Step is one thing that the controller does.
type Step struct {
	Name    string `json:"name"`
	EndedAt *Micro `json:"endedAt"`
}

// Report is the agent's report on a Remediation. All fields are written, so that those of an earlier report are replaced.
type Report struct {
	State    string    `json:"state"`
	At       Micro     `json:"at"`
	Version  string    `json:"version"`
	Message  string    `json:"message"`
	Hops     []Hop     `json:"hops"`
	Evidence *Evidence `json:"evidence"`
}

// The states of a Report.
const (
	Accepted = "Accepted"
	Done     = "Done"
	Failed   = "Failed"
	Refused  = "Refused"
)

// Hop is a link of the chain that a drill passed.
type Hop struct {
	Name string `json:"name"`
	At   Micro  `json:"at"`
	By   string `json:"by"`
}

// Evidence is a condition that a drill led to.
type Evidence struct {
	Condition string    `json:"condition"`
	Status    string    `json:"status"`
	Reason    string    `json:"reason"`
	Message   string    `json:"message"`
	Since     time.Time `json:"since"`
}

// Micro is a time in whole microseconds, always with six digits of them, as metav1.MicroTime reads it.
type Micro struct{ time.Time }

// MarshalJSON writes it.
func (m Micro) MarshalJSON() ([]byte, error) {
	return []byte(m.UTC().Format(`"2006-01-02T15:04:05.000000Z"`)), nil
}

// WatchRemediations passes on those that name a node until the server ends the watch, after the given time at the latest, or ctx is done: each
// that exists, or has changed after the resource version from, and then each change. gone says that one was deleted. It returns the last resource
// version, from which the next watch may continue; empty is from the beginning. The error is nil if the server ended it.
func (c *Client) WatchRemediations(ctx context.Context, node, from string, lasting time.Duration, handle func(r *Remediation, gone bool)) (last string, err error) {
	query := url.Values{
		"watch": {"1"}, "fieldSelector": {"spec.node.name=" + node}, "resourceVersion": {from}, "allowWatchBookmarks": {"true"},
		"timeoutSeconds": {strconv.Itoa(int(lasting.Seconds()))},
	}
	if from == "" {
		query.Set("resourceVersion", "0")
	}
	last = from
	ctx, heard, stop := whileHeard(ctx, c.firstTimeout)
	defer stop()
	request, err := c.request(ctx, http.MethodGet, remediations, query, nil)
	if err != nil {
		return last, err
	}
	response, err := c.do("watch-remediations", request)
	if err == nil {
		defer response.Body.Close()
		heard(0) // Where there are none, nothing is sent.
		err = events(response.Body, func(kind string, object json.RawMessage) error {
			r := &Remediation{}
			if err := json.Unmarshal(object, r); err != nil {
				return err
			}
			last = r.Metadata.ResourceVersion
			if kind != bookmark {
				handle(r, kind == deleted)
			}
			return nil
		})
	}
	if errors.Is(err, io.EOF) {
		return last, nil
	}
	if errors.Is(context.Cause(ctx), ErrSilent) {
		err = ErrSilent
	}
	if Code(err) == http.StatusGone {
		last = ""
	}
	return last, fmt.Errorf("watch the Remediations of node %s: %w", node, err)
}

// Remediation reads one.
func (c *Client) Remediation(ctx context.Context, name string) (*Remediation, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := c.request(ctx, http.MethodGet, remediations+"/"+url.PathEscape(name), nil, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.do("get-remediation", request)
	if err != nil {
		return nil, fmt.Errorf("read Remediation %s: %w", name, err)
	}
	defer response.Body.Close()
	r := &Remediation{}
	if err := json.NewDecoder(response.Body).Decode(r); err != nil {
		return nil, fmt.Errorf("read Remediation %s: %w", name, err)
	}
	return r, nil
}

// Report writes the agent's report into the status of a Remediation, if that still has the resource version (409 if not). It returns the new
// resource version.
func (c *Client) Report(ctx context.Context, name, version string, report Report) (string, error) {
	body := map[string]any{"metadata": map[string]any{"resourceVersion": version}, "status": map[string]any{"agent": report}}
	path := remediations + "/" + url.PathEscape(name) + "/status"
	answer := &Remediation{}
	if err := c.patch(ctx, "report", path, "application/merge-patch+json", url.Values{"fieldManager": {Manager}}, body, answer); err != nil {
		return "", fmt.Errorf("report on Remediation %s: %w", name, err)
	}
	return answer.Metadata.ResourceVersion, nil
}

// Code is the API server's status code in an error, 0 if it has none.
func Code(err error) int {
	if refused, is := errors.AsType[*Error](err); is {
		return refused.Code
	}
	return 0
}
