package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// upPatience bounds how long the story may take to come to its point, on the wall clock.
const upPatience = 10 * time.Minute

// up starts a lab as a person would in another terminal, and waits for its kubeconfig.
func (o *demoOptions) up(ctx context.Context, scenario, until string, timeScale float64, dir string) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	child := exec.CommandContext(ctx, self, "up", "--scenario", scenario, "--until", until,
		"--time-scale", strconv.FormatFloat(timeScale, 'g', -1, 64), "--data-dir", dir)
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.Stdout, child.Stderr = io.Discard, o.err
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("starting the lab: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	stop = func() error {
		_ = child.Process.Signal(os.Interrupt)
		return <-ended
	}
	return stop, o.ready(ctx, dir, ended)
}

// ready waits for the kubeconfig, which appears when the point is reached.
func (o *demoOptions) ready(ctx context.Context, dir string, ended chan error) error {
	return wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, upPatience, true, func(context.Context) (bool, error) {
		select {
		case err := <-ended:
			ended <- err
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == exitNotJudged {
				err = play.ErrNotJudged
			}
			return false, fmt.Errorf("the lab ended before the story came to its point: %w", errors.Join(err))
		default:
		}
		_, err := os.Stat(filepath.Join(dir, "kubeconfig"))
		return err == nil, nil
	})
}

// perform shows a command and runs it, as a person in a shell would.
func (o *demoOptions) perform(ctx context.Context, c *demoCluster, line string) error {
	o.printLine(emphasized(o.out, "$ "+line))
	fmt.Fprintln(o.out)
	command := o.shell(ctx, c, line)
	command.Stdout, command.Stderr = o.out, o.err
	if err := command.Run(); err != nil {
		return fmt.Errorf("running %q: %w", line, err)
	}
	return nil
}

// remedy is the first command that naosu gives for the pod.
func (o *demoOptions) remedy(ctx context.Context, c *demoCluster, subject pod) (string, error) {
	command := o.shell(ctx, c, fmt.Sprintf("naosu why pod/%s -n %s -o json", subject.name, subject.namespace))
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, o.err
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("asking naosu for the remedy: %w", err)
	}
	var explanation struct {
		Findings []struct {
			Remedies []struct {
				Command string `json:"command"`
			} `json:"remedies"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(out.Bytes(), &explanation); err != nil {
		return "", fmt.Errorf("reading naosu's explanation: %w", err)
	}
	for _, finding := range explanation.Findings {
		for _, remedy := range finding.Remedies {
			if remedy.Command != "" {
				return remedy.Command, nil
			}
		}
	}
	return "", errors.New("naosu gives no remedy")
}

// shell runs a line with the lab's kubeconfig, and naosu and naosu-lab on the PATH.
func (o *demoOptions) shell(ctx context.Context, c *demoCluster, line string) *exec.Cmd {
	command := exec.CommandContext(ctx, "sh", "-c", line)
	self, _ := os.Executable()
	path := filepath.Dir(o.naosu) + string(os.PathListSeparator) + filepath.Dir(self) + string(os.PathListSeparator) + os.Getenv("PATH")
	command.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "PATH="+path)
	return command
}

// emphasized is bold where the writer is a terminal with colours.
func emphasized(w io.Writer, text string) string {
	if !printers.AllowsColorOutput(w) {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}
