package controlplane

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/naosu-dev/naosu/lab/controlplane/pki"
)

// ServeCommand is the command of a program, alone on its command line, that makes it the child which StartChild wants:
// it calls inprocess.Serve and does nothing else.
const ServeCommand = "serve-controlplane"

// endTimeout is how long a child may take to end before it is killed: twice what one component may take to stop.
const endTimeout = 3 * time.Minute

// StartChild starts a control plane in a process of its own: a program that has ServeCommand, such as naosu-lab. So
// there can be several planes at a time, with different feature gates, and nothing that Kubernetes or etcd do to their
// process harms the caller's. The child ends when its parent does.
func StartChild(ctx context.Context, program string, o Options) (*Plane, error) {
	if err := errors.Join(o.Check(), context.Cause(ctx)); err != nil {
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	c := &child{replies: make(chan Reply, 1), gone: make(chan struct{}), log: &tail{to: o.Log}}
	if err := c.execute(ctx, program); err != nil {
		return nil, fmt.Errorf("start control plane's process: %w", err)
	}
	p, err := c.begin(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start control plane: %w", errors.Join(err, c.End()))
	}
	context.AfterFunc(ctx, func() { _ = c.End() })
	return p, nil
}

// child is a plane in another process, seen from its parent.
type child struct {
	command *exec.Cmd
	log     *tail
	mu      sync.Mutex // one request at a time
	notify  *json.Encoder
	stdin   io.Closer
	replies chan Reply
	run     string // the child's temporary folder, which it cannot remove if it is killed

	ends    sync.Once
	endErr  error
	gone    chan struct{} // closed when the process has ended
	failure error         // why it did, set before
}

// begin gives the child its job and returns when the plane is ready.
func (c *child) begin(ctx context.Context, o Options) (*Plane, error) {
	ready, err := c.ask(jobOf(o), func() error { return c.send(o.Fill) })
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("stopped before it was ready: %w", err)
	}
	o.Pace.NoteMinimum(ready.AtMinimum...)
	c.run = ready.Run
	authority, err := pki.Open(filepath.Join(ready.Data, "pki"), "ca")
	if err != nil {
		return nil, err
	}
	access, err := NewAccess(authority, ready.Port)
	if err != nil {
		return nil, err
	}
	return NewPlane(c, access, ready.Data, ready.Kubeconfig), nil
}

// send sends the child the entries that etcd is filled with.
func (c *child) send(fill Fill) error {
	if fill == nil {
		return nil
	}
	err := fill(func(key string, value []byte) error { return c.notify.Encode(Entry{Key: key, Value: value}) })
	return errors.Join(err, c.notify.Encode(Entry{Last: true, Error: messageOf(err)}))
}

// execute runs the child, connected by three pipes: requests, replies, and logs. Its process group is its
// own, so that Ctrl-C reaches the parent alone, which then stops it in order.
func (c *child) execute(ctx context.Context, program string) error {
	answers, replies, err := os.Pipe()
	if err != nil {
		return err
	}
	defer replies.Close()
	c.command = exec.CommandContext(context.WithoutCancel(ctx), program, ServeCommand)
	c.command.ExtraFiles = []*os.File{replies}
	c.command.Stdout, c.command.Stderr = c.log, c.log
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.command.WaitDelay = time.Second
	stdin, err := c.command.StdinPipe()
	if err != nil {
		return errors.Join(err, answers.Close())
	}
	c.notify, c.stdin = json.NewEncoder(stdin), stdin
	if err := c.command.Start(); err != nil {
		return errors.Join(err, answers.Close())
	}
	go c.listen(answers)
	return nil
}

// listen passes replies on until the child has ended.
func (c *child) listen(answers io.ReadCloser) {
	defer close(c.gone)
	defer answers.Close()
	decoder := json.NewDecoder(answers)
	var last Reply
	for {
		var r Reply
		if decoder.Decode(&r) != nil {
			break
		}
		if last = r; !r.Ended {
			c.replies <- r
		}
	}
	end := c.command.Wait()
	if c.run != "" && !last.Ended {
		_ = os.RemoveAll(c.run)
	}
	if c.failure = last.Err(); !last.Ended {
		c.failure = fmt.Errorf("its process ended: %w: %s", cmp.Or(end, errors.New("it returned")), c.log)
	}
}

// ask sends a message, and what belongs to it, and waits for the answer.
func (c *child) ask(message any, more ...func() error) (Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.gone:
		return Reply{}, ErrStopped
	default:
	}
	sent := c.notify.Encode(message)
	for _, send := range more {
		sent = errors.Join(sent, send())
	}
	select {
	case r := <-c.replies:
		return r, r.Err()
	case <-c.gone:
		return Reply{}, errors.Join(ErrStopped, c.failure, sent)
	}
}

func (c *child) StartComponents(components ...Component) error {
	_, err := c.ask(Request{Verb: StartVerb, Components: components})
	return err
}

func (c *child) StopComponent(component Component) error {
	_, err := c.ask(Request{Verb: StopVerb, Components: []Component{component}})
	return err
}

// End requests the child to stop, and kills it if it does not.
func (c *child) End() error {
	c.ends.Do(func() {
		killer := time.AfterFunc(endTimeout, func() { _ = c.command.Process.Kill() })
		defer killer.Stop()
		if _, err := c.ask(Request{Verb: EndVerb}); !errors.Is(err, ErrStopped) {
			c.endErr = err
		}
		<-c.gone
		_ = c.stdin.Close() // not before: the child takes the end of its input for the end of its parent
	})
	<-c.gone
	return c.endErr
}

func (c *child) Done() <-chan struct{} { return c.gone }

func (c *child) Err() error {
	select {
	case <-c.gone:
		return c.failure
	default:
		return nil
	}
}
