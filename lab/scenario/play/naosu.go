package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
	"github.com/naosu-dev/naosu/lab/scenario/program"
)

// ErrNoNaosu is returned for a pass that needs the naosu program where Options name none.
var ErrNoNaosu = errors.New("none was given")

// setProgram sets the naosu program of a pass that needs it.
func (s *session) setProgram(file string) error {
	if !s.pass.NeedsNaosu() {
		return nil
	}
	environment, err := s.cluster.Environment()
	if err != nil {
		return err
	}
	s.program = program.Program{File: file, Environment: environment, Pace: s.pace}
	return nil
}

// installNaosu starts naosu: its kinds, the pass's objects of them, and its controller, which runs until running ends.
func (s *session) installNaosu(ctx, running context.Context, t *timeline) error {
	if s.pass.With != scenario.WithNaosu {
		return nil
	}
	t.reportActivity("installing naosu")
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	kinds, err := s.program.Kinds(ctx)
	if err != nil {
		return err
	}
	if err := s.createCRDs(ctx, kinds); err != nil {
		return err
	}
	s.client.kinds = kinds
	if err := s.world.watchKinds(running, s.client.client, kinds.Resources()); err != nil {
		return err
	}
	namespace := scenario.Object{Unstructured: unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": program.Namespace},
	}}}
	for _, o := range append([]scenario.Object{namespace}, s.pass.Policies...) {
		if _, err := s.client.apply(ctx, o); err != nil {
			return err
		}
	}
	t.reportActivity("starting naosu's controller")
	if s.controller, err = s.program.StartController(running, s.cluster.Dir()); err != nil {
		return err
	}
	go s.watchController(running)
	return nil
}

// watchController reports a controller that ends by itself.
func (s *session) watchController(running context.Context) {
	<-s.controller.Ended()
	if running.Err() != nil {
		return
	}
	select {
	case s.clusterEnded <- s.controller.Err():
	default: // the cluster has ended already
	}
}

// createCRDs applies the custom resource definitions and waits until their resources are served.
func (s *session) createCRDs(ctx context.Context, kinds program.Kinds) error {
	definitions, err := kinds.Definitions(s.pace)
	if err != nil {
		return err
	}
	for _, d := range definitions {
		if _, err := s.client.applyOnce(ctx, d); err != nil {
			return err
		}
	}
	for kind, resource := range kinds.Resources() {
		if err := s.client.waitUntilServed(ctx, resource); err != nil {
			return fmt.Errorf("waiting for %s to be served: %w", kind, err)
		}
	}
	s.client.mapper.Reset()
	return nil
}

// waitUntilServed waits until a resource can be listed.
func (h *objectClient) waitUntilServed(ctx context.Context, resource schema.GroupVersionResource) error {
	return wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := h.client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
}

// commandPatience is what a command may take on the wall clock beyond what the scenario gives it.
const commandPatience = time.Minute

// commandResult is what a command of naosu's that runs has come to.
type commandResult struct {
	line   string
	judge  *expr.Program // nil if only the exit code counts
	world  expr.World
	ended  chan struct{}
	output program.Output // once ended is closed
	err    error
}

func (s *session) command(ctx context.Context, c scenario.Command) (action, error) {
	run := &commandResult{line: "naosu " + strings.Join(c.Args, " "), world: s.world, ended: make(chan struct{})}
	if c.Expect != "" {
		env, err := s.pass.Env()
		if err != nil {
			return action{}, err
		}
		if run.judge, err = env.Output(c.Expect); err != nil {
			return action{}, fmt.Errorf("compiling %s: %w", c.Expect, err)
		}
	}
	result := action{message: "runs " + run.line, until: run.holds, broken: run.problem}
	result.tracker.deadline = s.pace.Scenario(commandPatience)
	if c.Within != nil {
		result.tracker.deadline += c.Within.Duration
	}
	args, t := c.Resolve(s.names), s.player.timeline
	go func() {
		run.output, run.err = s.program.Run(ctx, args)
		if run.err == nil {
			t.add(Event{Sort: Program, Object: run.line, Message: fmt.Sprintf("ends with exit code %d", run.output.ExitCode)})
		}
		close(run.ended)
		s.world.signal()
	}()
	return result, nil
}

func (c *commandResult) holds() bool {
	select {
	case <-c.ended:
		return c.problem() == ""
	default:
		return false
	}
}

// problem says what is wrong with what a command did that has ended, or "".
func (c *commandResult) problem() string {
	select {
	case <-c.ended:
	default:
		return ""
	}
	if c.err != nil {
		return c.err.Error()
	}
	if c.judge == nil {
		if c.output.ExitCode == 0 {
			return ""
		}
		return fmt.Sprintf("it ended with exit code %d; %s", c.output.ExitCode, c.shortOutput())
	}
	var result any
	if err := json.Unmarshal(c.output.Stdout, &result); err != nil && len(bytes.TrimSpace(c.output.Stdout)) > 0 {
		return fmt.Sprintf("it printed no JSON (%v); %s", err, c.shortOutput())
	}
	judged := c.judge.Given(map[string]any{"result": result, "exitCode": c.output.ExitCode})
	if holds, err := judged.Bool(c.world); err == nil && holds {
		return ""
	}
	return fmt.Sprintf("%s; %s", judged.Explain(c.world), c.shortOutput())
}

// shownOutput is how much of an output is shown, in bytes.
const shownOutput = 1500

// shortOutput is what the command printed, as far as it is worth showing.
func (c *commandResult) shortOutput() string {
	text := append(bytes.TrimSpace(c.output.Stderr), '\n')
	var compact bytes.Buffer
	if json.Compact(&compact, c.output.Stdout) == nil {
		text = append(text, compact.Bytes()...)
	} else {
		text = append(text, c.output.Stdout...)
	}
	text = bytes.TrimSpace(text)
	if len(text) > shownOutput {
		text = append(text[:shownOutput], "…"...)
	}
	if len(text) == 0 {
		return "it printed nothing"
	}
	return "it printed: " + string(text)
}

// endNaosu ends the controller, if there is one.
func (s *session) endNaosu() error {
	if s.controller == nil {
		return nil
	}
	return s.controller.Stop()
}
