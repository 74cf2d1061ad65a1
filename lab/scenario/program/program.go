package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/pace"
)

// Program is the naosu program, and what leads it to a cluster.
type Program struct {
	// File is the program.
	File string
	// Environment are variables as NAME=value: KUBECONFIG, and AWS's.
	Environment []string
	// Pace divides the durations that its commands are given.
	Pace *pace.Pace
}

// Output is what came of a command.
type Output struct {
	Stdout, Stderr []byte
	ExitCode       int
	// Took is real time.
	Took time.Duration
}

// foreign are prefixes of variables that must not reach naosu from whoever runs the lab: they lead elsewhere.
var foreign = []string{"AWS_", "KUBECONFIG=", "KUBERNETES_SERVICE_", "NAOSU_"}

func (p Program) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.File, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc(foreign, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	cmd.Env = append(cmd.Env, p.Environment...)
	return cmd
}

// Run runs a command to its end. That it ends with another exit code than 0 is no error here.
func (p Program) Run(ctx context.Context, args []string) (Output, error) {
	began := time.Now()
	cmd := p.command(ctx, p.paced(args)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	out := Output{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Took: time.Since(began)}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		out.ExitCode = exit.ExitCode()
		return out, nil
	}
	if ctx.Err() != nil {
		return out, fmt.Errorf("running naosu %s: %w", strings.Join(args, " "), context.Cause(ctx))
	}
	if err != nil {
		return out, fmt.Errorf("running naosu %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// paced divides the durations of flags: the value of --timeout=5m.
func (p Program) paced(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		if d, err := time.ParseDuration(value); given && err == nil && strings.HasPrefix(name, "-") && p.Pace.Scale() > 1 {
			args[i] = name + "=" + p.Pace.Real(d).String()
		}
	}
	return args
}
