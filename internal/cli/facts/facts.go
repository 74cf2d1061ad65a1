// Package facts reads what the chain from detection to action is judged by: what agents say on nodes and how they are
// configured, naosu's own resources, and who else repairs. It is all there may be; what cannot be read is said.
package facts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// aws is the provider that is looked for on any cluster, by its name and by that of its machines' IDs.
const aws = "aws"

// Facts are what was read, and what could not be.
type Facts struct {
	repaircheck.Facts
	// Absent is that naosu's definitions are not installed, so that there is nothing of its own to be read.
	Absent bool
	unread []gap
}

type gap struct {
	about string
	why   message.Sentence
}

// Unknown is what could not be read, in words.
func (f *Facts) Unknown() []finding.Gap {
	gaps := []finding.Gap{}
	for _, g := range f.unread {
		gaps = append(gaps, finding.Gap{About: g.about, Message: g.why})
	}
	for _, g := range f.Gaps {
		if g.Provider == aws && !slices.ContainsFunc(f.Nodes, func(n *corev1.Node) bool { return strings.HasPrefix(n.Spec.ProviderID, aws) }) {
			continue // Nothing here is run by it.
		}
		gaps = append(gaps, finding.Gap{About: g.Provider, Message: g.Why})
	}
	for _, r := range f.Repairers {
		if !r.Known() {
			gaps = append(gaps, finding.Gap{About: r.By.String(), Message: r.Unknown})
		}
	}
	return gaps
}

// Read reads what o chooses: the cluster, of which nodes at least must be readable, or a snapshot.
func Read(ctx context.Context, o *input.Options) (*Facts, error) {
	if o.From != "" {
		world, err := o.ReadWorld(ctx)
		if err != nil {
			return nil, err
		}
		return ofSnapshot(world), nil
	}
	objects, err := connect.ToObjects(o.Config)
	if err != nil {
		return nil, err
	}
	r := reader{ctx: ctx, Objects: objects, f: &Facts{Facts: repaircheck.Facts{Now: o.Clock.Now()}}}
	if err := r.world(); err != nil {
		return nil, err
	}
	r.rest()
	return r.f, nil
}

// patience is how long ReadBeside may take: a cloud may not answer, and whoever asks has an answer without it.
const patience = 10 * time.Second

// ReadBeside reads from the cluster what its world, which was read just now, does not hold. It takes no longer than ten seconds.
func ReadBeside(ctx context.Context, o *input.Options, world *cluster.Snapshot) (*Facts, error) {
	objects, err := connect.ToObjects(o.Config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r := reader{ctx: ctx, Objects: objects, f: &Facts{Facts: repaircheck.Facts{Now: world.Taken()}}, known: world}
	r.f.nodes(world)
	for _, set := range daemonSets(world) {
		r.agent(set)
	}
	r.rest()
	return r.f, nil
}

// ofSnapshot takes what a snapshot has. It holds neither naosu's own resources nor who else repairs.
func ofSnapshot(world *cluster.Snapshot) *Facts {
	f := &Facts{Facts: repaircheck.Facts{Now: world.Taken(), Own: sentence.CheckSnapshot()}}
	f.nodes(world)
	for _, set := range daemonSets(world) {
		f.seen(set)
	}
	f.unread = append(f.unread, gap{v1alpha1.GroupVersion.Group, f.Own})
	return f
}

func daemonSets(world *cluster.Snapshot) []*appsv1.DaemonSet {
	var sets []*appsv1.DaemonSet
	for _, o := range world.Objects(cluster.DaemonSet) {
		if set, ok := o.(*appsv1.DaemonSet); ok {
			sets = append(sets, set)
		}
	}
	return sets
}

func (f *Facts) nodes(world *cluster.Snapshot) {
	f.Nodes = world.Nodes()
	f.group()
}

func (f *Facts) group() {
	f.Groups = map[string]string{}
	for _, node := range f.Nodes {
		f.Groups[node.Name] = cluster.GroupName(node)
	}
}

// seen notes an agent by its DaemonSet's name.
func (f *Facts) seen(set *appsv1.DaemonSet) (repaircheck.Agent, bool) {
	i := slices.IndexFunc(repaircheck.DaemonSets, func(a repaircheck.Agent) bool { return strings.Contains(set.Name, string(a)) })
	if i < 0 {
		return repaircheck.Nobody, false
	}
	if !slices.Contains(f.Agents, repaircheck.DaemonSets[i]) {
		f.Agents = append(f.Agents, repaircheck.DaemonSets[i])
	}
	return repaircheck.DaemonSets[i], true
}

// configure takes the severities from a configuration of the agent, or the reasons from a file of own reasons, as the file's name says
// (internal/agent/config has all of them).
func (f *Facts) configure(name, text string) error {
	if strings.HasSuffix(name, reason.OwnFiles) {
		return f.configureOwn(text)
	}
	var config struct {
		Reasons map[string]struct {
			Severity reason.Severity `yaml:"severity"`
		} `yaml:"reasons"`
	}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return fmt.Errorf("read the agent's configuration: %w", err)
	}
	for name, setting := range config.Reasons {
		if r, known := reason.Find(name); known && setting.Severity != "" {
			if f.Configured == nil {
				f.Configured = map[reason.ID]reason.Severity{}
			}
			f.Configured[r.ID] = setting.Severity
		}
	}
	return nil
}

// configureOwn takes the own reasons of a file.
func (f *Facts) configureOwn(text string) error {
	var file struct {
		Reasons []struct {
			Name      reason.ID        `yaml:"name"`
			Condition reason.Condition `yaml:"condition"`
			Severity  reason.Severity  `yaml:"severity"`
			Clears    struct {
				Quiet time.Duration `yaml:"quiet"`
			} `yaml:"clears"`
		} `yaml:"reasons"`
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return fmt.Errorf("read own reasons of the agent: %w", err)
	}
	for _, r := range file.Reasons {
		f.OwnReasons = append(f.OwnReasons, reason.Reason{
			ID: r.Name, Condition: r.Condition, Severity: cmp.Or(r.Severity, reason.Warning), Clears: reason.Clears{Quiet: cmp.Or(r.Clears.Quiet, reason.OwnQuiet)},
		})
	}
	return nil
}
