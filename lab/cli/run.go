package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/naosu-dev/naosu/lab/scenario/play"
	"github.com/naosu-dev/naosu/lab/scenario/report"
)

type runOptions struct {
	timeScale float64
	output    string
	with      []string
	naosu     string

	out, err io.Writer
}

func newRunCommand() *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Play incidents and say whether what was expected was seen",
		Long: `Plays each pass of the scenarios on a fresh control plane of its own: the story as Kubernetes plays it, the story with
naosu at work ("naosu", where the scenario has it), and its variants. It prints what happened, when each expectation
came true, and for how long pods were not Ready; of several passes, also a table of that. A scenario is a file, or the
name of one that this program carries.

With --time-scale N everything is N times faster: periods, grace, tolerations and the story itself. What Kubernetes
hard-codes stays as it is, and the report says so. All times are scenario time.

A pass that needs the naosu program is not played where there is none; the report says so, and the exit code is 1.

The lab measures how much real time it loses to the rest of the machine (its lag) and extends deadlines by that, up to a
bound. A pass that would fail with more lag than that is not judged: it is neither met nor failed.

Exit code 0 if every expectation held, 1 if one did not or could not be seen, 2 on bad input (nothing was started), 3 if
none failed and the machine was too slow to judge one.`,
		Example: `  naosu-lab run stranded-volume --time-scale 10
  naosu-lab run scenarios/*.yaml -o json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("run takes the scenarios to play; naosu-lab list prints them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.out, o.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return o.run(cmd.Context(), args)
		},
		ValidArgsFunction: completeScenarios,
	}
	cmd.Flags().Float64Var(&o.timeScale, "time-scale", 1, "how many times faster than reality")
	cmd.Flags().StringVarP(&o.output, "output", "o", "text", "text or json")
	cmd.Flags().StringVar(&o.naosu, "naosu", "", "the naosu program (default: beside this one, else from PATH)")
	cmd.Flags().StringSliceVar(&o.with, "with", nil, "play only these passes (default: all)")
	return cmd
}

func (o *runOptions) run(ctx context.Context, args []string) error {
	files, err := o.load(args)
	if err != nil {
		return err
	}
	reports := make([]report.Scenario, 0, len(files))
	met, missed := true, false
	for _, s := range files {
		r, err := o.play(ctx, s)
		if err != nil {
			return err
		}
		met, missed = met && r.Met(), missed || r.Missed()
		reports = append(reports, r)
		if err := o.text(r); err != nil {
			return err
		}
	}
	if err := o.summarize(reports); err != nil {
		return err
	}
	switch {
	case met:
		return nil
	case missed:
		return errExpectations
	}
	return errNotJudged
}

// load reads and checks all arguments, so that nothing starts before all are valid.
func (o *runOptions) load(args []string) ([]scenarioFile, error) {
	if o.output != "text" && o.output != "json" {
		return nil, badInputError{fmt.Errorf("--output: %q is not a format; give text or json", o.output)}
	}
	if err := checkTimeScale(o.timeScale); err != nil {
		return nil, badInputError{err}
	}
	if err := o.resolveNaosu(); err != nil {
		return nil, badInputError{err}
	}
	var (
		files []scenarioFile
		errs  []error
	)
	for _, arg := range args {
		s, err := load(arg, o.timeScale)
		if err == nil {
			err = o.checkPasses(s)
		}
		files, errs = append(files, s), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return files, nil
}

// resolveNaosu finds the naosu program. Without one only the passes that need it are not played, unless one was named.
func (o *runOptions) resolveNaosu() error {
	found, err := findNaosu(o.naosu)
	if err != nil && o.naosu != "" {
		return err
	}
	o.naosu = found
	return nil
}

// checkPasses refuses passes that do not exist, and named ones that cannot be played.
func (o *runOptions) checkPasses(s scenarioFile) error {
	for _, name := range o.with {
		pass, err := s.Pass(name)
		if err != nil {
			return badInputError{fmt.Errorf("--with: %w", err)}
		}
		if pass.NeedsNaosu() && o.naosu == "" {
			return badInputError{fmt.Errorf("--with: the pass %q needs the naosu program: %w", name, errNoNaosu)}
		}
	}
	return nil
}

// play plays the passes of a scenario, one after the other.
func (o *runOptions) play(ctx context.Context, s scenarioFile) (report.Scenario, error) {
	r := report.Scenario{Name: s.Name, Title: s.Title}
	with := o.with
	if len(with) == 0 {
		for _, pass := range s.Passes() {
			with = append(with, pass.With)
		}
	}
	for _, name := range with {
		pass, err := s.Pass(name)
		if err != nil {
			return r, err
		}
		if pass.NeedsNaosu() && o.naosu == "" {
			fmt.Fprintf(o.err, "%s with %s: not played: %v\n", s.Name, name, errNoNaosu)
			r.Passes = append(r.Passes, play.Result{With: name, Title: pass.Title, Scale: o.timeScale, NotPlayed: errNoNaosu.Error()})
			continue
		}
		p := newProgress(o.err, s.Name+" with "+name)
		result, err := playInChild(ctx, s, childPass{with: name, timeScale: o.timeScale, naosu: o.naosu}, p.observe)
		p.end()
		if errors.Is(err, play.ErrNotJudged) {
			result, err = play.Result{With: name, Title: pass.Title, Scale: o.timeScale, NotPlayed: err.Error(), NotJudged: true}, nil
		}
		if err != nil {
			return r, err
		}
		r.Passes = append(r.Passes, result)
	}
	return r, nil
}

func (o *runOptions) text(r report.Scenario) error {
	if o.output != "text" {
		return nil
	}
	return report.Text(o.out, r, report.Style{Color: printers.AllowsColorOutput(o.out)})
}

// summarize writes what is told of all scenarios together.
func (o *runOptions) summarize(reports []report.Scenario) error {
	if o.output == "json" {
		return report.JSON(o.out, reports)
	}
	return report.Summary(o.out, reports, report.Style{Color: printers.AllowsColorOutput(o.out)})
}

func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names, err := scenarioNames()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveDefault
}
