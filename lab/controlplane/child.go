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
	"sync"
	"syscall"
	"time"

	"github.com/naosu-dev/naosu/lab/pace"
)

// childVariable in the environment makes of a program the child that StartChild wants.
const childVariable = "NAOSU_LAB_CONTROLPLANE_CHILD"

// childPatience is how long a child may take to stop before it is killed.
const childPatience = 2 * stopTimeout

var canBeChild bool

// MaybeRunChild must be the first thing in the main function, or in TestMain, of a program that uses StartChild. In the
// child it runs the control plane and never returns.
func MaybeRunChild() {
	canBeChild = true
	if os.Getenv(childVariable) == "" {
		return
	}
	os.Exit(serveParent(os.Stdin, os.NewFile(3, "replies")))
}

// StartChild is Start in a process of its own: this program, executed again. So there can be several planes at a time,
// with other feature gates, and nothing that Kubernetes or etcd do to their process harms the caller's. The child goes
// when its parent does.
func StartChild(ctx context.Context, o Options) (*Plane, error) {
	if !canBeChild {
		return nil, errors.New("start control plane: call controlplane.MaybeRunChild first thing in main")
	}
	if o.Fill != nil {
		return nil, errors.New("start control plane: Options.Fill cannot be told to a process of its own")
	}
	if err := errors.Join(o.check(), context.Cause(ctx)); err != nil {
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	noteMinimums(o.Pace)
	c := &child{replies: make(chan reply, 1), gone: make(chan struct{}), log: &tail{to: o.Log}}
	if err := c.execute(ctx); err != nil {
		return nil, fmt.Errorf("start control plane's process: %w", err)
	}
	p, err := c.bear(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start control plane: %w", errors.Join(err, c.end()))
	}
	context.AfterFunc(ctx, func() { _ = c.end() })
	return p, nil
}

// noteMinimums makes a pace remember in this process what the child's copy of it will.
func noteMinimums(p *pace.Pace) {
	paced(p)
	schedulerConfig(p, "")
}

// child is a plane in another process, seen from its parent.
type child struct {
	command *exec.Cmd
	log     *tail
	mu      sync.Mutex // one request at a time
	tell    *json.Encoder
	stdin   io.Closer
	replies chan reply
	run     string // the child's temporary folder, which it cannot remove if it is killed

	ends    sync.Once
	endErr  error
	gone    chan struct{} // closed when the process has ended
	failure error         // why it did, set before
}

// bear gives the child its job and returns when the plane is ready.
func (c *child) bear(ctx context.Context, o Options) (*Plane, error) {
	todo := job{Options: o, Scale: o.Pace.Scale(), Stderr: o.Log != nil}
	todo.Options.Log, todo.Options.Pace = nil, nil
	ready, err := c.ask(todo)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("stopped before it was ready: %w", err)
	}
	authority, err := openAuthority((&folder{data: ready.Data}).pki(""), "ca")
	if err != nil {
		return nil, err
	}
	c.run = ready.Run
	access, err := newAccess(authority, ready.Port)
	if err != nil {
		return nil, err
	}
	return &Plane{runner: c, access: access, data: ready.Data, file: ready.Kubeconfig}, nil
}

// execute runs the child with three ways to talk: it reads requests, writes replies, and logs. Its process group is its
// own, so that Ctrl-C reaches the parent alone, which then stops it in order.
func (c *child) execute(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	answers, replies, err := os.Pipe()
	if err != nil {
		return err
	}
	defer replies.Close()
	c.command = exec.CommandContext(context.WithoutCancel(ctx), program)
	c.command.Env = append(os.Environ(), childVariable+"=1")
	c.command.ExtraFiles = []*os.File{replies}
	c.command.Stdout, c.command.Stderr = c.log, c.log
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.command.WaitDelay = time.Second
	stdin, err := c.command.StdinPipe()
	if err != nil {
		return errors.Join(err, answers.Close())
	}
	c.tell, c.stdin = json.NewEncoder(stdin), stdin
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
	var last reply
	for {
		var r reply
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
	if c.failure = last.err(); !last.Ended {
		c.failure = fmt.Errorf("its process ended: %w: %s", cmp.Or(end, errEnded), c.log)
	}
}

// ask sends a message and waits for its answer.
func (c *child) ask(message any) (reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.gone:
		return reply{}, errStopped
	default:
	}
	sent := c.tell.Encode(message)
	select {
	case r := <-c.replies:
		return r, r.err()
	case <-c.gone:
		return reply{}, errors.Join(errStopped, c.failure, sent)
	}
}

func (c *child) start(what ...Component) error {
	_, err := c.ask(request{Verb: startVerb, What: what})
	return err
}

func (c *child) stop(what Component) error {
	_, err := c.ask(request{Verb: stopVerb, What: []Component{what}})
	return err
}

// end asks the child to stop, and kills it if it cannot.
func (c *child) end() error {
	c.ends.Do(func() {
		killer := time.AfterFunc(childPatience, func() { _ = c.command.Process.Kill() })
		defer killer.Stop()
		if _, err := c.ask(request{Verb: endVerb}); !errors.Is(err, errStopped) {
			c.endErr = err
		}
		<-c.gone
		_ = c.stdin.Close() // not before: its end tells the child that it has no parent
	})
	<-c.gone
	return c.endErr
}

func (c *child) done() <-chan struct{} { return c.gone }

func (c *child) err() error {
	select {
	case <-c.gone:
		return c.failure
	default:
		return nil
	}
}
