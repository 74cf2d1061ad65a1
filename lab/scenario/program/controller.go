package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Namespace is where naosu keeps its own objects.
const Namespace = "naosu-system"

// LogFile is what the controller's log is called in the lab's data folder.
const LogFile = "naosu.log"

// How long the controller may take to be ready, and to end when it is stopped, on the wall clock.
const (
	readyPatience = time.Minute
	stopPatience  = 30 * time.Second
)

// Controller is a controller that runs.
type Controller struct {
	process *exec.Cmd
	log     string
	ended   chan struct{}
	err     error // once ended is closed
}

// StartController starts `naosu controller` and returns when it says that it is ready. It runs until Stop is called or ctx
// ends. Its log is kept in dir.
func (p Program) StartController(ctx context.Context, dir string) (*Controller, error) {
	health, reservation, err := reserveAddress()
	if err != nil {
		return nil, fmt.Errorf("reserving a port for naosu controller: %w", err)
	}
	defer reservation.Close()
	c := &Controller{log: filepath.Join(dir, LogFile), ended: make(chan struct{})}
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the controller's log: %w", err)
	}
	c.process = p.command(ctx, "controller", "--health-address", health, "--metrics-address", "127.0.0.1:0")
	c.process.Stdout, c.process.Stderr = log, log
	c.process.Cancel = func() error { return c.process.Process.Signal(syscall.SIGTERM) }
	c.process.WaitDelay = stopPatience
	c.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := errors.Join(c.process.Start(), log.Close()); err != nil {
		return nil, fmt.Errorf("starting naosu controller: %w", err)
	}
	go func() {
		defer close(c.ended)
		c.err = c.process.Wait()
	}()
	if err := c.ready(ctx, health); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// ready waits until the controller's health endpoint says so.
func (c *Controller) ready(ctx context.Context, health string) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, readyPatience, true, func(ctx context.Context) (bool, error) {
		select {
		case <-c.ended:
			return false, c.Err()
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+health+"/readyz", nil)
		if err != nil {
			return false, fmt.Errorf("asking whether it is ready: %w", err)
		}
		var response *http.Response
		if response, last = http.DefaultClient.Do(request); last != nil {
			return false, nil //nolint:nilerr // It does not listen yet; the last error is reported if it never does.
		}
		if response.StatusCode != http.StatusOK {
			last = fmt.Errorf("/readyz says %s", response.Status)
		}
		return response.StatusCode == http.StatusOK, response.Body.Close()
	})
	if err != nil {
		return fmt.Errorf("waiting for naosu controller to be ready: %w\n%s", errors.Join(err, last), c.Tail())
	}
	return nil
}

// Ended is closed when the controller has ended.
func (c *Controller) Ended() <-chan struct{} { return c.ended }

// Err says, after Ended, how the controller ended by itself, with the last that it logged.
func (c *Controller) Err() error {
	how := "without being told to"
	if c.err != nil {
		how = c.err.Error()
	}
	return fmt.Errorf("naosu controller ended: %s\n%s", how, c.Tail())
}

// Stop ends the controller as Kubernetes would, and returns when it is gone. That it had to be killed is an error.
func (c *Controller) Stop() error {
	select {
	case <-c.ended:
		return nil
	default:
	}
	if err := c.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping naosu controller: %w", err)
	}
	select {
	case <-c.ended:
		return nil
	case <-time.After(stopPatience):
	}
	err := c.process.Process.Kill()
	<-c.ended
	return errors.Join(fmt.Errorf("naosu controller did not end within %s of SIGTERM", stopPatience), err)
}

// tailLines is how much of the log is shown.
const tailLines = 25

// Tail is the end of the controller's log.
func (c *Controller) Tail() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return fmt.Sprintf("its log cannot be read: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// reserveAddress gives an address on loopback at which another process can listen, as Go programs do, with SO_REUSEADDR. Until
// the reservation is closed, which holds the port and does not listen, the kernel does not choose it for others.
func reserveAddress() (string, io.Closer, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil, fmt.Errorf("socket: %w", err)
	}
	reservation := os.NewFile(uintptr(socket), "reservation")
	err = errors.Join(
		syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
		syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}),
	)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("bind: %w", err), reservation.Close())
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("getsockname: %w", err), reservation.Close())
	}
	at := bound.(*syscall.SockaddrInet4)
	return (&net.TCPAddr{IP: at.Addr[:], Port: at.Port}).String(), reservation, nil
}
