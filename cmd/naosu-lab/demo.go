package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// tour is a story that the demo lets naosu foresee, explain and mend: it is played to a point at which pods wait.
type tour struct {
	scenario, until string
	// foresee are questions to naosu before the story begins.
	foresee []string
}

var tours = []tour{{
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
		Short: "Show a newcomer an incident: foreseen, explained and mended",
		Long: `Asks naosu what it foresees on a lab of its own, plays the incident there, asks naosu why the pods do not run, applies
the remedy that naosu gives, and shows the pods running.`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: tourNames(),
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
	cmd.Flags().Float64Var(&o.timeScale, "time-scale", 10, "how many times faster than reality")
	return cmd
}

// choose finds the tours and the program to show, before anything is started.
func (o *demoOptions) choose(args []string) ([]tour, error) {
	if err := checkTimeScale(o.timeScale); err != nil {
		return nil, err
	}
	var err error
	if o.naosu, err = findNaosu(o.naosu); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return tours, nil
	}
	for _, t := range tours {
		if t.scenario == args[0] {
			return []tour{t}, nil
		}
	}
	return nil, fmt.Errorf("%q is not one of the demo's scenarios; give one of %s", args[0], strings.Join(tourNames(), ", "))
}

// show plays one story and heals it.
func (o *demoOptions) show(ctx context.Context, t tour) error {
	s, err := load(t.scenario, o.timeScale)
	if err != nil {
		return err
	}
	o.say("Story %d: %s", s.Story, s.Title)
	o.tell("%s", strings.TrimSpace(s.Description))

	o.say("A real control plane starts, with the cluster as it was before.")
	if err := o.on(ctx, t.scenario, "start", func(p *patient) error { return o.foresee(ctx, p, t.foresee) }); err != nil {
		return err
	}
	o.say("Now the story is played, %g times faster than it was lived: this takes about two minutes.", o.timeScale)
	return o.on(ctx, t.scenario, t.until, func(p *patient) error { return o.heal(ctx, p) })
}

// on starts a lab, plays the scenario to a point, and hands it over.
func (o *demoOptions) on(ctx context.Context, scenario, until string, do func(*patient) error) (err error) {
	dir, err := os.MkdirTemp("", "naosu-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the lab: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	stop, err := o.up(ctx, scenario, until, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	p, err := newPatient(dir)
	if err != nil {
		return err
	}
	return do(p)
}

// foresee asks naosu before anything has happened.
func (o *demoOptions) foresee(ctx context.Context, p *patient, questions []string) error {
	o.say("What naosu foresees, reading nothing but the cluster's API:")
	for i, question := range questions {
		if i > 0 {
			fmt.Fprintln(o.out)
		}
		if err := o.perform(ctx, p, question); err != nil {
			return err
		}
	}
	return nil
}

// heal shows what waits, lets naosu explain it, does what it says, and waits for the effect.
func (o *demoOptions) heal(ctx context.Context, p *patient) error {
	waiting, err := p.waiting(ctx)
	if err != nil {
		return err
	}
	if len(waiting) == 0 {
		return errors.New("no pod is waiting, so there is nothing to explain")
	}
	o.say("These pods wait:")
	o.tell("%s", strings.Join(waiting.lines(), "\n"))

	o.say("What naosu says of it:")
	subject := waiting[0]
	if err := o.perform(ctx, p, fmt.Sprintf("naosu why pod/%s -n %s", subject.name, subject.namespace)); err != nil {
		return err
	}
	remedy, err := o.remedy(ctx, p, subject)
	if err != nil {
		return err
	}

	o.say("The remedy, as naosu gives it:")
	if err := o.perform(ctx, p, remedy); err != nil {
		return err
	}
	running, err := p.recovered(ctx, waiting, o.tellLine)
	if err != nil {
		return err
	}
	o.say("The pods run again:")
	o.tell("%s", strings.Join(running.lines(), "\n"))
	return nil
}

func (o *demoOptions) say(format string, args ...any) {
	fmt.Fprintf(o.out, "\n%s\n", emphasized(o.out, fmt.Sprintf("▸ "+format, args...)))
}

// tell prints indented lines.
func (o *demoOptions) tell(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		o.tellLine(strings.TrimSuffix(line, "\n"))
	}
}

func (o *demoOptions) tellLine(line string) { fmt.Fprintln(o.out, "  "+line) }

func tourNames() []string {
	names := make([]string, len(tours))
	for i, t := range tours {
		names[i] = t.scenario
	}
	return names
}
