package controlplane

import (
	"errors"

	"github.com/naosu-dev/naosu/lab/pace"
)

// ErrStopped is returned by a plane that has ended already.
var ErrStopped = errors.New("the control plane has stopped")

// Job is the first message to a child, on its standard input. All messages are JSON objects, one after another; the child's
// answers go to its file descriptor 3.
type Job struct {
	Options Options
	// Scale is that of Options.Pace.
	Scale float64
	// Stderr says that the components log to the child's standard error.
	Stderr bool
	// Fill says that entries follow, up to one that is the last.
	Fill bool
}

func jobOf(o Options) Job {
	job := Job{Options: o, Scale: o.Pace.Scale(), Stderr: o.Log != nil, Fill: o.Fill != nil}
	job.Options.Log, job.Options.Pace, job.Options.Fill = nil, nil, nil
	return job
}

// Entry is one of those that etcd is filled with before the API server starts.
type Entry struct {
	Key   string `json:",omitempty"`
	Value []byte `json:",omitempty"`
	// Last says that no other follows and that this one is none itself; Error is why there are no more, if they are not all.
	Last  bool   `json:",omitempty"`
	Error string `json:",omitempty"`
}

// Request has a child start or stop components, or end.
type Request struct {
	Verb       Verb
	Components []Component
}

// Verb is the kind of a Request.
type Verb string

// The verbs.
const (
	StartVerb Verb = "start"
	StopVerb  Verb = "stop"
	EndVerb   Verb = "end"
)

// Reply is a child's answer to its job or to a request. The last one of all says, unasked, why the plane has ended.
type Reply struct {
	Error string
	Ended bool
	// Data is the plane's data folder, Run its folder of temporary files, Port the API server's: in answer to the job.
	Data, Run, Kubeconfig string
	Port                  int
	// AtMinimum are the settings that could not follow the pace.
	AtMinimum []pace.Setting
}

// ReplyOf is the reply with an error, or with none.
func ReplyOf(err error) Reply { return Reply{Error: messageOf(err)} }

// Err is the error of the reply; nil if there was none.
func (r Reply) Err() error {
	if r.Error == "" {
		return nil
	}
	return errors.New(r.Error)
}

func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
