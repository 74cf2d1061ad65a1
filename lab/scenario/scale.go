package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/scenario/strictyaml"
)

// patience are the fields, in whole seconds, that decide how long Kubernetes waits before it acts against a pod. A time
// scale that would take one of them below a second is refused when the scenario states it: the story would change.
var patience = []string{"tolerationSeconds", "terminationGracePeriodSeconds"}

// periods are the other fields in whole seconds. They stop at one second, and the report lists them.
var periods = []string{
	"activeDeadlineSeconds", "initialDelaySeconds", "leaseDurationSeconds", "minReadySeconds", "periodSeconds",
	"progressDeadlineSeconds", "startingDeadlineSeconds", "timeoutSeconds", "ttlSecondsAfterFinished",
}

// wholeSecondFlags take a number of seconds; other flags with a time take a duration.
var wholeSecondFlags = []string{"default-not-ready-toleration-seconds", "default-unreachable-toleration-seconds"}

// rateFlags are events per second, and so grow with the scale.
var rateFlags = []string{"node-eviction-rate", "secondary-node-eviction-rate"}

// defaultGracePeriod is what the API server gives pods that state none (DefaultTerminationGracePeriodSeconds in
// k8s.io/api/core/v1).
const defaultGracePeriod = 30

// CheckScale refuses a time scale that would bring a toleration or grace period which the scenario states below one
// second.
func (s *Scenario) CheckScale(scale float64) error {
	var stated []statedSeconds
	note := func(path string, seconds float64) { stated = append(stated, statedSeconds{path, seconds}) }
	for _, c := range clusters(s) {
		for component, flags := range c.Flags {
			for flag, value := range flags {
				if seconds, ok := patienceOfFlag(flag, string(value)); ok {
					note(strictyaml.Join(strictyaml.Join(c.path+".flags", component), flag), seconds)
				}
			}
		}
		for _, o := range c.Manifests {
			statedPatience(o.Object, o.path, note)
		}
	}
	for _, steps := range s.allSteps() {
		for _, step := range steps {
			for _, o := range step.Apply {
				statedPatience(o.Object, o.path, note)
			}
			if step.Patch != nil {
				statedPatience(map[string]any(step.Patch.Merge), step.path+".patch.merge", note)
			}
		}
	}
	return refusals(s.doc, stated, scale).OrNil()
}

type statedSeconds struct {
	path    string
	seconds float64
}

func refusals(doc *strictyaml.Document, stated []statedSeconds, scale float64) strictyaml.Errors {
	largest := math.Inf(1)
	for _, s := range stated {
		largest = min(largest, s.seconds)
	}
	var errs strictyaml.Errors
	for _, s := range stated {
		if s.seconds/scale < 1 {
			errs = append(errs, doc.Errorf(s.path, "%gs would be less than one second at --time-scale %g; the largest this scenario allows is %g",
				s.seconds, scale, math.Floor(largest)))
		}
	}
	return errs
}

func (s *Scenario) allSteps() [][]Step {
	all := [][]Step{s.Steps}
	if s.Naosu != nil {
		all = append(all, s.Naosu.Steps)
	}
	for _, v := range s.Variants {
		all = append(all, v.Steps)
	}
	return all
}

// patienceOfFlag is the value in seconds of a flag that is a toleration or a grace period. Zero is no wait at all.
func patienceOfFlag(flag, value string) (float64, bool) {
	if slices.Contains(wholeSecondFlags, flag) {
		seconds, err := strconv.ParseFloat(value, 64)
		return seconds, err == nil && seconds > 0
	}
	if strings.Contains(flag, "grace-period") {
		d, err := time.ParseDuration(value)
		return d.Seconds(), err == nil && d > 0
	}
	return 0, false
}

func statedPatience(value any, path string, note func(string, float64)) {
	visit(value, path, func(parent map[string]any, key, path string) {
		if seconds, ok := parent[key].(int64); ok && seconds > 0 && slices.Contains(patience, key) {
			note(path, float64(seconds))
		}
	})
}

// visit calls f for every field below a value of decoded YAML.
func visit(value any, path string, f func(parent map[string]any, key, path string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			at := strictyaml.Join(path, key)
			f(v, key, at)
			visit(inner, at, f)
		}
	case []any:
		for i, inner := range v {
			visit(inner, fmt.Sprintf("%s[%d]", path, i), f)
		}
	}
}

// Scaled is a copy of the object with its seconds at the pace of the lab. Pods that state no grace period get the API
// server's default, scaled as well.
func (o Object) Scaled(p *pace.Pace) Object {
	o.Unstructured = *o.DeepCopy()
	if p.Scale() > 1 {
		scaleSeconds(o.Object, " of "+o.GetKind()+"/"+o.GetName(), p)
	}
	return o
}

// Scaled is a copy of the fragment with its seconds at the pace of the lab.
func (f Fragment) Scaled(p *pace.Pace) Fragment {
	copied := Object{}
	copied.Object = f
	scaled := copied.DeepCopy().Object
	if p.Scale() > 1 {
		scaleSeconds(scaled, " of a patch", p)
	}
	return scaled
}

func scaleSeconds(root map[string]any, where string, p *pace.Pace) {
	var pods []map[string]any
	visit(root, "", func(parent map[string]any, key, _ string) {
		if key == "spec" {
			if spec, ok := parent[key].(map[string]any); ok && spec["containers"] != nil {
				pods = append(pods, spec)
			}
		}
		seconds, ok := parent[key].(int64)
		if ok && (slices.Contains(patience, key) || slices.Contains(periods, key)) {
			parent[key] = p.Seconds(key+where, seconds)
		}
	})
	for _, spec := range pods {
		if spec["terminationGracePeriodSeconds"] == nil {
			spec["terminationGracePeriodSeconds"] = p.Seconds("terminationGracePeriodSeconds"+where+" (default)", defaultGracePeriod)
		}
	}
}

// Arguments are the cluster's flags as on a command line, by component, at the pace of the lab.
func (c Cluster) Arguments(p *pace.Pace) map[string][]string {
	arguments := map[string][]string{}
	for component, flags := range c.Flags {
		for _, flag := range sortedKeys(flags) {
			arguments[component] = append(arguments[component], "--"+flag+"="+scaleFlag(flag, string(flags[flag]), p))
		}
	}
	return arguments
}

// scaleFlag scales tolerations in seconds, durations such as 40s, and rates; anything else stays as it is.
func scaleFlag(flag, value string, p *pace.Pace) string {
	switch {
	case p.Scale() == 1:
		return value
	case slices.Contains(wholeSecondFlags, flag):
		if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
			return strconv.FormatInt(p.Seconds("--"+flag, seconds), 10)
		}
	case slices.Contains(rateFlags, flag):
		if rate, err := strconv.ParseFloat(value, 64); err == nil {
			return strconv.FormatFloat(p.Rate(rate), 'g', -1, 32)
		}
	default:
		if d, err := time.ParseDuration(value); err == nil {
			return p.Real(d).String()
		}
	}
	return value
}
