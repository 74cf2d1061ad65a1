package scenario

import (
	"fmt"
	"os"

	"github.com/naosu-dev/naosu/lab/scenario/strictyaml"
)

// Load reads a scenario's file. What is wrong with its content is a strictyaml.Errors: a line each, with file, line, column
// and field.
func Load(file string) (*Scenario, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return Parse(file, data)
}

// Parse reads a scenario; file is the name that errors bear.
func Parse(file string, data []byte) (*Scenario, error) {
	s := &Scenario{}
	doc, err := strictyaml.Decode(file, data, s)
	if err != nil {
		return nil, err
	}
	s.doc = doc
	s.locate()
	if err := validate(s); err != nil {
		return nil, err
	}
	return s, nil
}

// locate sets the positions of steps and expectations, which stay known when a variant takes them over.
func (s *Scenario) locate() {
	locate := func(path string, steps []Step, expect []Expectation) {
		for i := range steps {
			steps[i].path = fmt.Sprintf("%ssteps[%d]", path, i)
		}
		for i := range expect {
			expect[i].path = fmt.Sprintf("%sexpect[%d]", path, i)
		}
	}
	locate("", s.Steps, s.Expect)
	if s.Naosu != nil {
		locate("naosu.", s.Naosu.Steps, s.Naosu.Expect)
	}
	for i, v := range s.Variants {
		locate(fmt.Sprintf("variants[%d].", i), v.Steps, v.Expect)
	}
}
