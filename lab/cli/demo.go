package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// story is an incident of the demo, which is played to a point at which pods wait.
type story struct {
	scenario, until string
	// foresee are the naosu commands to run before the incident.
	foresee []string
}

var stories = []story{{
	scenario: "stranded-volume", until: "stranded",
	foresee: []string{"naosu audit -A", "naosu whatif rotate group/general --zones us-east-1a,us-east-1b"},
}}

type demoOptions struct {
	naosu     string
	timeScale float64
	out, err  io.Writer
}

func newDemoCommand() *cobra.Command {
	o := &demoOptions{}
	cmd := &cobra.Command{
		Use:   "demo [SCENARIO]",
		Short: "Show an incident: forecast, explained and resolved",
		Long: `Asks naosu what it foresees on a lab of its own, plays the incident there, asks naosu why the pods do not run, applies
the remedy that naosu gives, and shows the pods running.`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: storyNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.out, o.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			chosen, err := o.choose(args)
			if err != nil {
				return badInputError{err}
			}
			for _, t := range chosen {
				if err := o.show(cmd.Context(), t); err != nil {
					return fmt.Errorf("showing %s: %w", t.scenario, err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.naosu, "naosu", "", "the naosu program (default: beside this one, else from PATH)")
	cmd.Flags().Float64Var(&o.timeScale, "time-scale", 20, "how many times faster than reality the incident is played")
	return cmd
}

// choose finds the stories and the naosu program, before anything is started.
func (o *demoOptions) choose(args []string) ([]story, error) {
	if err := checkTimeScale(o.timeScale); err != nil {
		return nil, err
	}
	var err error
	if o.naosu, err = findNaosu(o.naosu); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return stories, nil
	}
	for _, t := range stories {
		if t.scenario == args[0] {
			return []story{t}, nil
		}
	}
	return nil, fmt.Errorf("scenario: %q is not one of the demo's scenarios; give one of %s", args[0], strings.Join(storyNames(), ", "))
}

// show plays one story and has naosu end it.
func (o *demoOptions) show(ctx context.Context, t story) error {
	s, err := load(t.scenario, o.timeScale)
	if err != nil {
		return err
	}
	o.printHeading("Story %d: %s", s.Story, s.Title)
	o.printIndented("%s", strings.TrimSpace(s.Description))

	o.printHeading("A real control plane starts, with the cluster as it was before.")
	// In real time, cluster-autoscaler leaves an idle node for ten minutes, so that the cluster stays as it was on any machine.
	if err := o.withLab(ctx, t.scenario, "start", 1, func(c *demoCluster) error { return o.foresee(ctx, c, t.foresee) }); err != nil {
		return err
	}
	o.printHeading("Now the story is played, %g times faster than it was lived: this takes about a minute and a half.", o.timeScale)
	return o.withLab(ctx, t.scenario, t.until, o.timeScale, func(c *demoCluster) error { return o.heal(ctx, c) })
}

// withLab starts a lab, plays the scenario to a point, and calls do with the cluster.
func (o *demoOptions) withLab(ctx context.Context, scenario, until string, timeScale float64, do func(*demoCluster) error) (err error) {
	dir, err := os.MkdirTemp("", "naosu-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the lab: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	stop, err := o.up(ctx, scenario, until, timeScale, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	c, err := newDemoCluster(dir)
	if err != nil {
		return err
	}
	return do(c)
}

// foresee runs naosu before the incident.
func (o *demoOptions) foresee(ctx context.Context, c *demoCluster, questions []string) error {
	o.printHeading("What naosu foresees, reading nothing but the cluster's API:")
	for i, question := range questions {
		if i > 0 {
			fmt.Fprintln(o.out)
		}
		if err := o.perform(ctx, c, question); err != nil {
			return err
		}
	}
	return nil
}

// heal shows the pods that wait and what naosu says of them, applies its remedy, and waits until they run.
func (o *demoOptions) heal(ctx context.Context, c *demoCluster) error {
	waiting, err := c.waiting(ctx)
	if err != nil {
		return err
	}
	if len(waiting) == 0 {
		return errors.New("no pod is waiting, so there is nothing to explain")
	}
	o.printHeading("These pods wait:")
	o.printIndented("%s", strings.Join(waiting.lines(), "\n"))

	o.printHeading("What naosu says of it:")
	subject := waiting[0]
	if err := o.perform(ctx, c, fmt.Sprintf("naosu why pod/%s -n %s", subject.name, subject.namespace)); err != nil {
		return err
	}
	remedy, err := o.remedy(ctx, c, subject)
	if err != nil {
		return err
	}

	o.printHeading("The remedy, as naosu gives it:")
	if err := o.perform(ctx, c, remedy); err != nil {
		return err
	}
	running, err := c.waitForRecovery(ctx, waiting, o.printLine)
	if err != nil {
		return err
	}
	o.printHeading("The pods run again:")
	o.printIndented("%s", strings.Join(running.lines(), "\n"))
	return nil
}

func (o *demoOptions) printHeading(format string, args ...any) {
	fmt.Fprintf(o.out, "\n%s\n", emphasized(o.out, fmt.Sprintf("▸ "+format, args...)))
}

// printIndented prints indented lines.
func (o *demoOptions) printIndented(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		o.printLine(strings.TrimSuffix(line, "\n"))
	}
}

func (o *demoOptions) printLine(line string) { fmt.Fprintln(o.out, "  "+line) }

func storyNames() []string {
	names := make([]string, len(stories))
	for i, t := range stories {
		names[i] = t.scenario
	}
	return names
}
