package vpccni

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
)

// Machines says what state the machine behind a node is in, and false if there is none.
type Machines interface {
	State(node string) (nodes.State, bool)
}

// Options say which cloud the machines run in.
type Options struct {
	Cloud *cloud.Cloud
	// Pace scales the plugin's periods; nil is real time.
	Pace *pace.Pace
	// Clock is that of the cloud; nil is real time.
	Clock clock.WithTicker
	// Admit refuses calls of EC2, such as "CreateNetworkInterface", that are beyond the account's limits; nil refuses none.
	Admit func(action string) error
}

// Manager is the address managers of all machines. It is a nodes.AddressManager.
type Manager struct {
	cloud *cloud.Cloud
	pace  *pace.Pace
	clock clock.WithTicker
	ec2   ec2

	mu       sync.Mutex
	agents   map[string]*agent // by node
	reserved map[string]map[netip.Addr]types.UID
	// daemonSets and nodes are nil until Run has filled its caches.
	daemonSets appslisters.DaemonSetLister
	nodes      corelisters.NodeLister
}

var _ nodes.AddressManager = (*Manager)(nil)

// New returns a manager that gives addresses already, with the default settings until Run is called.
func New(o Options) *Manager {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return &Manager{
		cloud: o.Cloud, pace: o.Pace, clock: o.Clock, ec2: ec2{o.Cloud, o.Admit}, agents: map[string]*agent{}, reserved: map[string]map[netip.Addr]types.UID{},
	}
}

// Run keeps the machines' pools until ctx ends.
func (m *Manager) Run(ctx context.Context, config *rest.Config, machines Machines) error {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(config, "aws-node"))
	if err != nil {
		return fmt.Errorf("making the address managers' client: %w", err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0)
	daemonSets, nodes := factory.Apps().V1().DaemonSets(), factory.Core().V1().Nodes()
	daemonSets.Informer() // so that the factory starts it
	nodes.Informer()
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	for _, filled := range factory.WaitForCacheSync(ctx.Done()) {
		if !filled {
			return errors.Join(ctx.Err(), errors.New("filling the address managers' caches: one did not fill"))
		}
	}
	m.mu.Lock()
	m.daemonSets, m.nodes = daemonSets.Lister(), nodes.Lister()
	m.mu.Unlock()
	m.run(ctx, machines)
	return nil
}

func (m *Manager) run(ctx context.Context, machines Machines) {
	changed := m.cloud.Subscribe(ctx)
	for {
		timer := m.clock.NewTimer(m.step(machines).Sub(m.clock.Now()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-changed:
		case <-timer.C():
		}
		timer.Stop()
	}
}

// step does what is due on every machine, and says when something is again.
func (m *Manager) step(machines Machines) (next time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.syncAgents(machines)
	now := m.clock.Now()
	next = now.Add(m.pace.Real(poolPeriod))
	for _, node := range slices.Sorted(maps.Keys(m.agents)) {
		a := m.agents[node]
		if state, _ := machines.State(node); state == nodes.CutOff {
			continue
		}
		if !a.next().After(now) {
			a.step(now)
		}
		if at := a.next(); at.Before(next) {
			next = at
		}
	}
	return next
}

// syncAgents has an agent for every machine that is on, and none for any other.
func (m *Manager) syncAgents(machines Machines) {
	on := map[string]bool{}
	for _, i := range m.cloud.Instances() {
		if state, known := machines.State(i.NodeName); known && state != nodes.Off && up(i) {
			on[i.NodeName] = true
			m.agent(i)
		}
	}
	maps.DeleteFunc(m.agents, func(node string, _ *agent) bool { return !on[node] })
}

func up(i cloud.Instance) bool { return i.State == cloud.Running && i.Booted && !i.Impaired }

// agent is the one of an instance since it was last started.
func (m *Manager) agent(i cloud.Instance) *agent {
	a := m.agents[i.NodeName]
	if a == nil || a.instance.ID != i.ID || a.instance.Reboots != i.Reboots {
		a = m.newAgent(i)
		m.agents[i.NodeName] = a
		maps.Copy(a.pods, m.reserved[i.NodeName])
		delete(m.reserved, i.NodeName)
		a.step(m.clock.Now())
	}
	return a
}

// Assign is part of nodes.AddressManager.
func (m *Manager) Assign(node string, pod types.UID) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, found := m.cloud.InstanceByNode(node)
	if !found || !up(i) {
		return ""
	}
	if address := m.agent(i).assign(pod); address.IsValid() {
		return address.String()
	}
	return ""
}

// Release is part of nodes.AddressManager.
func (m *Manager) Release(node, address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if parsed, err := netip.ParseAddr(address); err == nil && m.agents[node] != nil {
		m.agents[node].release(parsed)
	}
}

// Reserve is part of nodes.AddressManager.
func (m *Manager) Reserve(node string, pod types.UID, address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	parsed, err := netip.ParseAddr(address)
	switch {
	case err != nil:
	case m.agents[node] != nil:
		m.agents[node].pods[parsed] = pod
	default:
		if m.reserved[node] == nil {
			m.reserved[node] = map[netip.Addr]types.UID{}
		}
		m.reserved[node][parsed] = pod
	}
}

func (m *Manager) settings() settings {
	if m.daemonSets == nil {
		return settingsOf(nil)
	}
	set, err := m.daemonSets.DaemonSets(metav1.NamespaceSystem).Get(daemonSetName)
	if err != nil {
		return settingsOf(nil)
	}
	return settingsOf(set)
}

// cordoned says whether a node is unschedulable.
func (m *Manager) cordoned(name string) bool {
	if m.nodes == nil {
		return false
	}
	node, err := m.nodes.Get(name)
	return err == nil && node.Spec.Unschedulable
}

// randomOf is an instance's own random source.
func randomOf(i cloud.Instance) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(i.ID))
	return rand.New(rand.NewPCG(hash.Sum64(), uint64(i.Reboots)))
}
