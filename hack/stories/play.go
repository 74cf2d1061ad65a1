package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

var errNotMet = errors.New("not all expectations were met")

// playAll plays both passes of all stories side by side.
func playAll(ctx context.Context, lab string, scale float64) ([]record, error) {
	records := make([]record, len(stories))
	group, ctx := errgroup.WithContext(ctx)
	for i, s := range stories {
		records[i].Scenario = s.scenario
		for pass, impact := range map[string]*play.Impact{s.alone: &records[i].Alone, "naosu": &records[i].Naosu} {
			group.Go(func() (err error) {
				*impact, err = playPass(ctx, lab, s, pass, scale)
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("playing the incidents: %w", err)
	}
	return records, nil
}

// playPass plays a pass, all of whose expectations must be met.
func playPass(ctx context.Context, lab string, s story, pass string, scale float64) (play.Impact, error) {
	cmd := exec.CommandContext(ctx, lab, "run", s.scenario, "--with", pass, "--time-scale", strconv.FormatFloat(scale, 'g', -1, 64), "--output", "json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return play.Impact{}, fmt.Errorf("%s with %s: %w", s.scenario, pass, err)
	}
	return readPass(out, s)
}

// readPass reads what `naosu-lab run -o json` printed of one pass of a story, between the story's points.
func readPass(out []byte, s story) (play.Impact, error) {
	var report struct {
		Passes []struct {
			Met    bool
			Events []play.Event
			Impact play.Impact
		}
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&report); err != nil {
		return play.Impact{}, fmt.Errorf("reading the report of %s: %w", s.scenario, err)
	}
	if len(report.Passes) != 1 || !report.Passes[0].Met {
		return play.Impact{}, fmt.Errorf("%s: %w", s.scenario, errNotMet)
	}
	pass := report.Passes[0]
	from, until := 0.0, pass.Impact.LengthSeconds
	for _, e := range pass.Events {
		if e.Sort != play.Step && e.Sort != play.Point {
			continue
		}
		switch e.Object {
		case s.from:
			from = e.AtSeconds
		case s.until:
			until = e.AtSeconds
		}
	}
	return between(pass.Impact, from, until), nil
}
