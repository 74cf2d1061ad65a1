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
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/labcluster"
	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// Each pass is played in a child process, because a process holds one control plane and its feature gates. The child
// reads the scenario from its standard input and writes these to its standard output.
type passMessage struct {
	Update *play.Update `json:"update,omitempty"`
	Result *play.Result `json:"result,omitempty"`
}

// childPass is which pass a child plays, and how.
type childPass struct {
	with      string
	timeScale float64
	naosu     string
}

// newPassCommand is the child's side.
func newPassCommand(start controlplane.Starter) *cobra.Command {
	var p childPass
	cmd := &cobra.Command{
		Use:    "pass",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return playPass(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), p, start)
		},
	}
	cmd.Flags().StringVar(&p.with, "with", "", "")
	cmd.Flags().Float64Var(&p.timeScale, "time-scale", 1, "")
	cmd.Flags().StringVar(&p.naosu, "naosu", "", "")
	return cmd
}

func playPass(ctx context.Context, in io.Reader, out io.Writer, p childPass, start controlplane.Starter) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading the scenario: %w", err)
	}
	s, err := scenario.Parse("standard input", text)
	if err != nil {
		return err
	}
	pass, err := s.Pass(p.with)
	if err != nil {
		return err
	}
	messages := json.NewEncoder(out)
	result, err := play.Play(ctx, pass, play.Options{
		Build:    labcluster.Builder(func(o *lab.Options) { o.ControlPlane = start }),
		Pace:     pace.New(p.timeScale),
		Naosu:    p.naosu,
		Observer: func(u play.Update) { _ = messages.Encode(passMessage{Update: &u}) },
	})
	if err != nil {
		return err
	}
	return messages.Encode(passMessage{Result: &result})
}

// playInChild is the parent's side: it plays a pass and returns what came of it.
func playInChild(ctx context.Context, s scenarioFile, p childPass, observe play.Observer) (play.Result, error) {
	self, err := os.Executable()
	if err != nil {
		return play.Result{}, fmt.Errorf("finding this program: %w", err)
	}
	child := exec.CommandContext(ctx, self, "pass", "--with", p.with, "--naosu", p.naosu, "--time-scale", strconv.FormatFloat(p.timeScale, 'g', -1, 64))
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	child.Stdin = bytes.NewReader(s.text)
	var complaint bytes.Buffer
	child.Stderr = &complaint
	out, err := child.StdoutPipe()
	if err != nil {
		return play.Result{}, fmt.Errorf("connecting to the child: %w", err)
	}
	if err := child.Start(); err != nil {
		return play.Result{}, fmt.Errorf("starting the child: %w", err)
	}
	result, readErr := receive(out, observe)
	if err := child.Wait(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == exitNotJudged {
			err = play.ErrNotJudged
		}
		return play.Result{}, fmt.Errorf("playing %s of %s: %w\n%s", p.with, s.Name, err, bytes.TrimSpace(complaint.Bytes()))
	}
	return result, readErr
}

// receive reads a child's messages until its result.
func receive(out io.Reader, observe play.Observer) (play.Result, error) {
	messages := json.NewDecoder(out)
	for {
		var m passMessage
		if err := messages.Decode(&m); err != nil {
			return play.Result{}, errors.Join(errors.New("the child ended without a result"), err)
		}
		if m.Result != nil {
			return *m.Result, nil
		}
		if m.Update != nil {
			observe(*m.Update)
		}
	}
}
