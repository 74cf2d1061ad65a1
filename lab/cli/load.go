package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/naosu-dev/naosu/lab/scenario"
	"github.com/naosu-dev/naosu/scenarios"
)

// scenarioFile is a scenario and the text it was read from.
type scenarioFile struct {
	*scenario.Scenario
	file string
	text []byte
}

// load reads a scenario from a file, or by name from those that this program carries, and checks that it can be played
// at the time scale. What is wrong with it is bad input.
func load(arg string, timeScale float64) (scenarioFile, error) {
	s, err := read(arg)
	if err != nil {
		return s, badInputError{err}
	}
	if s.Scenario, err = scenario.Parse(s.file, s.text); err == nil {
		err = s.CheckScale(timeScale)
	}
	if err != nil {
		return s, badInputError{err}
	}
	return s, nil
}

func read(arg string) (scenarioFile, error) {
	text, err := os.ReadFile(arg)
	if err == nil {
		return scenarioFile{file: arg, text: text}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(arg, "/.") {
		return scenarioFile{}, fmt.Errorf("reading the scenario: %w", err)
	}
	file := arg + ".yaml"
	if text, err = fs.ReadFile(scenarios.Files, file); err != nil {
		return scenarioFile{}, fmt.Errorf("scenario: %q is neither a file nor a scenario; see naosu-lab list", arg)
	}
	return scenarioFile{file: file, text: text}, nil
}

func checkTimeScale(scale float64) error {
	if scale >= 1 {
		return nil
	}
	return fmt.Errorf("--time-scale: %v would be slower than reality; give 1 or more", scale)
}
