package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/proof"
	"github.com/naosu-dev/naosu/internal/record"
)

// aws is the provider that is looked for on any cluster, by its name and by that of its machines' IDs.
const aws = "aws"

// facts are what was read, and what could not be.
type facts struct {
	proof.Facts
	unread []gap
}

type gap struct {
	about string
	why   message.Sentence
}

// gaps are what is not known, in words.
func (f *facts) gaps(say message.Printer) []finding.Gap {
	gaps := []finding.Gap{}
	for _, g := range f.unread {
		gaps = append(gaps, finding.Gap{About: g.about, Message: say.Say(g.why)})
	}
	for _, g := range f.Gaps {
		if g.Provider == aws && !slices.ContainsFunc(f.Nodes, func(n *corev1.Node) bool { return strings.HasPrefix(n.Spec.ProviderID, aws) }) {
			continue // Nothing here is run by it.
		}
		gaps = append(gaps, finding.Gap{About: g.Provider, Message: say.Say(g.Why)})
	}
	for _, r := range f.Repairers {
		if !r.Known() {
			gaps = append(gaps, finding.Gap{About: r.By.String(), Message: say.Say(r.Unknown)})
		}
	}
	return gaps
}

func (o *CheckOptions) gather(ctx context.Context) (*facts, error) {
	f := &facts{Facts: proof.Facts{Now: o.Clock.Now()}}
	if o.From != "" {
		world, err := o.ReadWorld(ctx)
		if err != nil {
			return nil, err
		}
		f.fromSnapshot(world)
		return f, nil
	}
	objects, err := connect.ToObjects(o.Config)
	if err != nil {
		return nil, err
	}
	g := gatherer{ctx, objects, f}
	return f, g.all()
}

// fromSnapshot takes what a snapshot has. It holds neither naosu's own resources nor who else repairs.
func (f *facts) fromSnapshot(world *cluster.Snapshot) {
	f.Now, f.Nodes = world.Taken(), world.Nodes()
	f.group()
	for _, o := range world.Objects(cluster.DaemonSet) {
		if set, ok := o.(*appsv1.DaemonSet); ok {
			f.agent(set)
		}
	}
	f.Own = message.Of(message.CheckSnapshot, nil)
	f.unread = append(f.unread, gap{"naosu.dev", f.Own})
}

func (f *facts) group() {
	f.Groups = map[string]string{}
	for _, node := range f.Nodes {
		f.Groups[node.Name] = cluster.GroupName(node)
	}
}

// agent notes an agent by its DaemonSet's name.
func (f *facts) agent(set *appsv1.DaemonSet) (proof.Agent, bool) {
	i := slices.IndexFunc(proof.DaemonSets, func(a proof.Agent) bool { return strings.Contains(set.Name, string(a)) })
	if i < 0 {
		return proof.Nobody, false
	}
	if !slices.Contains(f.Agents, proof.DaemonSets[i]) {
		f.Agents = append(f.Agents, proof.DaemonSets[i])
	}
	return proof.DaemonSets[i], true
}

// gatherer reads from a cluster. Only nodes must be readable; what else is not makes a gap.
type gatherer struct {
	ctx context.Context //nolint:containedctx // It lives as long as one gathering.
	connect.Objects
	f *facts
}

func (g gatherer) all() error {
	var nodes corev1.NodeList
	if err := g.List(g.ctx, &nodes); err != nil {
		return exit.Talking(g.Host, err)
	}
	for i := range nodes.Items {
		g.f.Nodes = append(g.f.Nodes, &nodes.Items[i])
	}
	g.f.group()
	g.agents()
	g.own()
	g.ledger()
	g.lease()
	g.repairers()
	return nil
}

func (g gatherer) miss(about string, why message.Sentence) {
	g.f.unread = append(g.f.unread, gap{about, why})
}

func unreadable(what string, err error) message.Sentence {
	return message.Of(message.CheckUnread, message.Args{"what": what, "why": err.Error()})
}

// agents finds agents by their DaemonSets, how naosu's is configured and which image it runs where.
func (g gatherer) agents() {
	var sets appsv1.DaemonSetList
	if err := g.List(g.ctx, &sets); err != nil {
		g.miss(string(cluster.DaemonSet), unreadable("DaemonSets", err))
	}
	for i := range sets.Items {
		if agent, known := g.f.agent(&sets.Items[i]); known && agent == proof.Naosu {
			g.configuration(&sets.Items[i])
			g.images(&sets.Items[i])
		}
	}
}

// configuration reads which severities differ from the catalogue's.
func (g gatherer) configuration(set *appsv1.DaemonSet) {
	for _, volume := range set.Spec.Template.Spec.Volumes {
		if volume.ConfigMap == nil {
			continue
		}
		var stored corev1.ConfigMap
		key := client.ObjectKey{Namespace: set.Namespace, Name: volume.ConfigMap.Name}
		if err := g.Get(g.ctx, key, &stored); err != nil {
			g.miss("configmap/"+key.Name, message.Of(message.CheckConfigUnread, message.Args{"configmap": key.String(), "why": err.Error()}))
			continue
		}
		for _, text := range stored.Data {
			if err := g.f.configure(text); err != nil {
				g.miss("configmap/"+key.Name, message.Of(message.CheckConfigUnread, message.Args{"configmap": key.String(), "why": err.Error()}))
			}
		}
	}
}

// configure takes the severities from a configuration of the agent (internal/agent/config has all of it).
func (f *facts) configure(text string) error {
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

func (g gatherer) images(set *appsv1.DaemonSet) {
	var pods corev1.PodList
	if err := g.List(g.ctx, &pods, client.InNamespace(set.Namespace), client.MatchingLabels(set.Spec.Selector.MatchLabels)); err != nil {
		g.miss(string(cluster.Pod), unreadable("pods of "+set.Namespace+"/"+set.Name, err))
		return
	}
	g.f.AgentImages = map[string]string{}
	for i := range pods.Items {
		g.f.AgentImages[pods.Items[i].Spec.NodeName] = imageOf(&pods.Items[i])
	}
}

// imageOf is what a pod's first container runs: by digest once it runs.
func imageOf(pod *corev1.Pod) string {
	if len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].ImageID != "" {
		return pod.Status.ContainerStatuses[0].ImageID
	}
	return pod.Spec.Containers[0].Image
}

// own reads policies and Remediations. Where the kinds are not there, there are none of them.
func (g gatherer) own() {
	all, err := own.List(g.ctx, g)
	g.f.Policies, g.f.Remediations = all.Policies, all.Remediations
	switch {
	case err == nil:
	case own.Absent(err):
		g.miss("naosu.dev", message.Of(message.CheckNoCRDs, nil))
	default:
		g.f.Own = message.Of(message.ProofOwnUnread, message.Args{"why": err.Error()})
		g.miss("naosu.dev", g.f.Own)
	}
}

func (g gatherer) ledger() {
	records := record.Records{Client: g, Reader: g}
	read, err := records.ReadLedger(g.ctx)
	if err != nil {
		g.miss("configmap/"+record.LedgerName, unreadable("configmap/"+record.LedgerName, err))
		return
	}
	g.f.Ledger = &read.Ledger
}

func (g gatherer) lease() {
	var lease coordinationv1.Lease
	switch err := g.Get(g.ctx, client.ObjectKey{Namespace: record.DefaultNamespace, Name: record.LeaseName}, &lease); {
	case apierrors.IsNotFound(err):
	case err != nil:
		g.f.LeaseUnread = message.Of(message.ProofLeaseUnread, message.Args{"why": err.Error()})
	default:
		g.f.Lease = &lease
	}
}

// repairers asks those who run machines who else repairs them.
func (g gatherer) repairers() {
	providers, gaps := discover.Discover(g.ctx, discover.Options{Client: g})
	g.f.Gaps = gaps
	found, failed := providers.Repairers(g.ctx, g.f.Nodes)
	g.f.Repairers = found
	for _, one := range failed {
		g.f.Gaps = append(g.f.Gaps, cloud.Gap{Provider: one.Provider, Why: message.Of(message.CloudUnread, message.Args{"what": one.Provider, "words": one.Err.Error()})})
	}
}
