package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/naosu-dev/naosu/lab/pace"
)

// job is what a child is told first.
type job struct {
	Options Options
	Scale   float64
	Stderr  bool // log there
}

// request asks a child to start or stop components, or to end.
type request struct {
	Verb string
	What []Component
}

const (
	startVerb = "start"
	stopVerb  = "stop"
	endVerb   = "end"
)

// reply is a child's answer to its job or to a request. The last one of all says, unasked, why the plane has ended.
type reply struct {
	Error                 string
	Ended                 bool
	Data, Run, Kubeconfig string
	Port                  int
}

func (r reply) err() error {
	if r.Error == "" {
		return nil
	}
	return errors.New(r.Error)
}

func replyOf(err error) reply {
	if err == nil {
		return reply{}
	}
	return reply{Error: err.Error()}
}

// serveParent is the child's whole life: it runs one plane as its parent tells it. It returns the exit code.
func serveParent(in io.Reader, out io.Writer) int {
	requests, replies := json.NewDecoder(in), json.NewEncoder(out)
	var todo job
	if err := requests.Decode(&todo); err != nil {
		return 1 // no parent
	}
	todo.Options.Pace = pace.New(todo.Scale)
	if todo.Stderr {
		todo.Options.Log = os.Stderr
	}
	plane, err := start(context.Background(), todo.Options)
	if err != nil {
		_ = replies.Encode(reply{Error: err.Error()})
		return 1
	}
	local := plane.runner.(*local)
	_ = replies.Encode(reply{Data: plane.data, Run: local.folder.run, Kubeconfig: plane.file, Port: local.port})

	var answering sync.Mutex // the last word comes after the answer that brought it about
	go func() {
		for {
			var r request
			if err := requests.Decode(&r); err != nil {
				_ = local.folder.close() // the parent is gone: leave nothing, wait for nothing
				os.Exit(1)
			}
			answering.Lock()
			_ = replies.Encode(replyOf(local.serve(r)))
			answering.Unlock()
		}
	}()
	<-plane.Done()
	answering.Lock()
	last := replyOf(plane.Err())
	if plane.Err() != nil {
		_ = local.folder.close() // ending the process is quicker, and surer, than stopping what is left
	}
	last.Ended = true
	_ = replies.Encode(last)
	return 0
}

func (p *local) serve(r request) error {
	switch r.Verb {
	case startVerb:
		return p.start(r.What...)
	case stopVerb:
		return p.stop(r.What[0])
	case endVerb:
		return p.end()
	}
	return fmt.Errorf("unknown request %q", r.Verb)
}
