package inprocess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/pace"
)

// Serve is the main function of a process that controlplane.StartChild has started: it runs one plane as its parent requests.
// It returns the exit code.
func Serve() int { return serveParent(os.Stdin, os.NewFile(3, "replies")) }

func serveParent(in io.Reader, out io.Writer) int {
	requests, replies := json.NewDecoder(in), json.NewEncoder(out)
	var job controlplane.Job
	if err := requests.Decode(&job); err != nil {
		return 1 // no parent
	}
	plane, err := start(context.Background(), optionsOf(job, requests))
	if err != nil {
		_ = replies.Encode(controlplane.ReplyOf(err))
		return 1
	}
	_ = replies.Encode(controlplane.Reply{
		Data: plane.folder.data, Run: plane.folder.run, Kubeconfig: plane.folder.kubeconfig(), Port: plane.port,
		AtMinimum: plane.options.Pace.AtMinimum(),
	})

	var answering sync.Mutex // the final message follows the reply to the request that caused it
	go func() {
		for {
			var r controlplane.Request
			if err := requests.Decode(&r); err != nil {
				_ = plane.folder.close() // the parent is gone: leave nothing, wait for nothing
				os.Exit(1)
			}
			answering.Lock()
			_ = replies.Encode(controlplane.ReplyOf(plane.answer(r)))
			answering.Unlock()
		}
	}()
	<-plane.Done()
	answering.Lock()
	last := controlplane.ReplyOf(plane.Err())
	if plane.Err() != nil {
		_ = plane.folder.close() // ending the process is quicker, and surer, than stopping what is left
	}
	last.Ended = true
	_ = replies.Encode(last)
	return 0
}

// optionsOf are a job's, made whole with what no message can carry.
func optionsOf(job controlplane.Job, entries *json.Decoder) controlplane.Options {
	o := job.Options
	o.Pace = pace.New(job.Scale)
	if job.Stderr {
		o.Log = os.Stderr
	}
	if job.Fill {
		o.Fill = func(put func(string, []byte) error) error { return receive(entries, put) }
	}
	return o
}

// receive puts the entries that the parent sends.
func receive(entries *json.Decoder, put func(string, []byte) error) error {
	for {
		var e controlplane.Entry
		if err := entries.Decode(&e); err != nil {
			return fmt.Errorf("read what %s is filled with: %w", controlplane.Etcd, err)
		}
		if e.Error != "" {
			return errors.New(e.Error)
		}
		if e.Last {
			return nil
		}
		if err := put(e.Key, e.Value); err != nil {
			return err
		}
	}
}

func (p *local) answer(r controlplane.Request) error {
	switch {
	case r.Verb == controlplane.StartVerb:
		return p.StartComponents(r.Components...)
	case r.Verb == controlplane.StopVerb && len(r.Components) == 1:
		return p.StopComponent(r.Components[0])
	case r.Verb == controlplane.EndVerb:
		return p.End()
	}
	return fmt.Errorf("unknown request %q of %d components", r.Verb, len(r.Components))
}
