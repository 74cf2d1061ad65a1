package reclaim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The tags of interfaces, by their names in EC2.
const (
	tagCluster  = "cluster.k8s.amazonaws.com/name"
	tagOwner    = "eks:eni:owner"
	tagInstance = "node.k8s.amazonaws.com/instance_id"
	tagCreated  = "node.k8s.amazonaws.com/createdAt"
	tagKeep     = "node.k8s.amazonaws.com/no_manage"
)

const (
	// mostLag is how many seconds EC2's answers are out of date at most.
	mostLag = 300
	// grace is how many seconds after EC2 shows it a tag must be heeded: a deletion that was decided before may be under way.
	grace = 10
)

// history is the value of something at each time.
type history[T any] []struct {
	at    int
	value T
}

func (h *history[T]) set(at int, value T) {
	*h = append(*h, struct {
		at    int
		value T
	}{at, value})
}

// at is the value at a time; false before the first.
func (h history[T]) at(time int) (value T, existed bool) {
	for _, one := range slices.Backward(h) {
		if one.at <= time {
			return one.value, true
		}
	}
	return value, false
}

func (h history[T]) last() T { return h[len(h)-1].value }

// machine is an instance with the VPC CNI's address manager on it.
type machine struct {
	id      string
	cluster int
	// state is EC2's; empty if EC2 has forgotten it.
	state history[string]
	// node says whether Kubernetes has a Node of it.
	node bool
	// created is what its address manager has created and attaches next, freed what it has detached and deletes next.
	created, freed *eni
}

// attaches says whether the instance can still get an interface: a stopped one can, and a hibernated one goes on where it was.
func (m *machine) attaches() bool {
	switch m.state.last() {
	case "pending", "running", "stopping", "stopped":
		return true
	}
	return false
}

// eniState is what EC2 shows of an interface. It is replaced, not changed.
type eniState struct {
	exists             bool
	status             string
	description, kind  string
	attached           string
	tags               map[string]string
	requester, operate bool
}

// eni is an interface with what nobody can ask EC2 for: whose it is, and since when somebody keeps it.
type eni struct {
	id       string
	shows    history[eniState]
	maker    *machine
	cluster  int
	kept     bool
	keptFrom int
	// corrupted says that somebody has changed its tags, so that it may be spared.
	corrupted bool
}

// violation is what is wrong with a deletion.
type violation string

const (
	attaching    violation = "about to be attached"
	kept         violation = "kept"
	otherCluster violation = "cluster B's"
)

// world is a small model of a VPC with the instances of two clusters. It shares no code with what is judged.
type world struct {
	now      int
	named    [2]bool // whether a cluster's VPC CNI sets the cluster's name
	blind    bool    // whether EC2 shows no instance of this account
	machines []*machine
	enis     []*eni
	deleted  int
	// violation is what is wrong with the first deletion that should not have been, and victim what it deleted.
	violation violation
	victim    *eni
	// log is what has happened, if it is to be told.
	told bool
	log  []string
}

func (w *world) tell(format string, args ...any) {
	if !w.told {
		return
	}
	w.log = append(w.log, fmt.Sprintf("%6ds  ", w.now)+fmt.Sprintf(format, args...))
}

func clusterName(n int) string { return string(rune('A' + n)) }

// pick is one of some; the zero value if there are none.
func pick[T any](all []T, n int) (one T) {
	if len(all) == 0 {
		return one
	}
	return all[n%len(all)]
}

func (w *world) machinesIn(states ...string) []*machine {
	return slices.DeleteFunc(slices.Clone(w.machines), func(m *machine) bool { return !slices.Contains(states, m.state.last()) })
}

func (w *world) enisThat(are func(*eni) bool) []*eni {
	return slices.DeleteFunc(slices.Clone(w.enis), func(c *eni) bool { return !c.shows.last().exists || !are(c) })
}

// change changes what EC2 shows of an interface from now on.
func (w *world) change(c *eni, by func(*eniState)) {
	s := c.shows.last()
	s.tags = maps.Clone(s.tags)
	by(&s)
	c.shows.set(w.now, s)
}

func (w *world) add(s eniState, maker *machine, cluster int) *eni {
	c := &eni{id: fmt.Sprintf("eni-%d", len(w.enis)), maker: maker, cluster: cluster}
	s.exists = true
	c.shows.set(w.now, s)
	w.enis = append(w.enis, c)
	return c
}

// launch adds an instance, of which Kubernetes may not know yet.
func (w *world) launch(cluster int, node bool) {
	m := &machine{id: fmt.Sprintf("i-%d", len(w.machines)), cluster: cluster, node: node}
	m.state.set(w.now, "running")
	w.machines = append(w.machines, m)
	w.tell("%s of cluster %s is launched; its node is there: %t", m.id, clusterName(cluster), node)
}

// made is an interface as the VPC CNI on an instance makes it.
func (w *world) made(m *machine) eniState {
	tags := map[string]string{tagInstance: m.id, tagCreated: w.stamp()}
	if w.named[m.cluster] {
		tags[tagCluster], tags[tagOwner] = clusterName(m.cluster), "amazon-vpc-cni"
	}
	return eniState{status: "available", description: "aws-K8S-" + m.id, kind: "interface", tags: tags}
}

func (w *world) stamp() string { return timeOf(w.now).Format("2006-01-02T15:04:05Z") }

// The address manager's steps.

func (w *world) create(n int) {
	m := pick(w.machinesIn("running", "shutting-down"), n)
	if m == nil || m.created != nil || m.freed != nil {
		return
	}
	m.created = w.add(w.made(m), m, m.cluster)
	w.tell("%s creates %s", m.id, m.created.id)
}

func (w *world) attach(n int) {
	m := pick(w.machinesIn("running", "shutting-down"), n)
	if m == nil || m.created == nil {
		return
	}
	c := m.created
	m.created = nil
	if !c.shows.last().exists || !m.attaches() {
		w.tell("%s cannot attach %s", m.id, c.id)
		return
	}
	w.change(c, func(s *eniState) { s.status, s.attached = "in-use", m.id })
	w.tell("%s attaches %s", m.id, c.id)
}

func (w *world) detach(n int) {
	c := pick(w.enisThat(func(c *eni) bool { return c.shows.last().status == "in-use" && c.shows.last().attached != "" }), n)
	if c == nil || c.maker.state.last() != "running" || c.maker.created != nil || c.maker.freed != nil {
		return
	}
	c.maker.freed = c
	w.change(c, func(s *eniState) { s.status = "detaching" })
	w.tell("%s detaches %s", c.maker.id, c.id)
}

// free is the next step of freeing a detached interface.
func (w *world) free(n int) {
	m := pick(slices.DeleteFunc(slices.Clone(w.machines), func(m *machine) bool { return m.freed == nil }), n)
	if m == nil {
		return
	}
	c := m.freed
	if c.shows.last().status == "detaching" {
		w.change(c, func(s *eniState) { s.status, s.attached = "available", "" })
		w.tell("%s is detached", c.id)
		return
	}
	m.freed = nil
	if m.state.last() == "running" && c.shows.last().exists {
		w.change(c, func(s *eniState) { s.exists = false })
		w.tell("%s deletes %s", m.id, c.id)
	}
}

func (w *world) restart(n int) {
	if m := pick(w.machinesIn("running"), n); m != nil {
		m.created, m.freed = nil, nil
		w.tell("the address manager of %s restarts", m.id)
	}
}

// step takes an instance from one state to the next: some hibernate and resume, and in the end EC2 forgets each.
func (w *world) step(n, way int) {
	m := pick(w.machinesIn("running", "stopped", "shutting-down", "terminated"), n)
	if m == nil {
		return
	}
	next := map[string]string{"running": "shutting-down", "stopped": "running", "shutting-down": "terminated", "terminated": ""}[m.state.last()]
	if m.state.last() == "running" && way%4 == 0 {
		next = "stopped"
	}
	m.state.set(w.now, next)
	switch next {
	case "":
		w.tell("EC2 forgets %s", m.id)
	default:
		w.tell("%s is %s", m.id, next)
	}
	if next == "terminated" {
		w.terminated(m, way)
	}
}

// terminated ends the attachments of an instance: some interfaces end with it, and some stay.
func (w *world) terminated(m *machine, way int) {
	m.created, m.freed = nil, nil
	m.node = m.node && way%4 == 1 // Mostly, Kubernetes deletes the Node.
	for n, c := range w.enis {
		s := c.shows.last()
		if !s.exists || s.attached != m.id {
			continue
		}
		stays := s.status == "detaching" || (n+way)%2 == 0
		w.change(c, func(s *eniState) { s.status, s.attached, s.exists = "available", "", stays })
		if stays {
			w.tell("%s stays", c.id)
		}
	}
}

// node deletes the Node of an instance, or creates it.
func (w *world) node(n int) {
	if m := pick(w.machines, n); m != nil {
		m.node = !m.node
		w.tell("the node of %s is there: %t", m.id, m.node)
	}
}

// keep has somebody tag an interface to be kept.
func (w *world) keep(n, how int) {
	c := pick(w.enisThat(func(c *eni) bool { return c.shows.last().status == "available" }), n)
	if c == nil || c.kept {
		return
	}
	value := pick([]string{"true", "True", "yes", "1", "", "true "}, how)
	c.kept, c.keptFrom = true, w.now
	w.change(c, func(s *eniState) { s.tags[tagKeep] = value })
	w.tell("somebody tags %s %s=%q", c.id, tagKeep, value)
}

// foreign has somebody, or a service, create an interface that looks much like one of cluster A's.
func (w *world) foreign(n, how int) {
	like := pick(w.machines, n)
	if like == nil {
		return
	}
	s := w.made(like)
	s.tags[tagCluster], s.tags[tagOwner] = "A", "amazon-vpc-cni"
	what := ""
	switch how % 8 {
	case 0:
		s.description, what = "", "without a description"
	case 1:
		s.description, what = "my aws-K8S-"+like.id, "with a description of her own"
	case 2:
		s.tags[tagKeep], what = "true", "to be kept"
	case 3:
		s.description, what = "aws-K8S-", "with half a description"
	case 4:
		s.kind, what = "branch", "as a branch"
	case 5:
		s.requester, what = true, "as a service"
	case 6:
		s.operate, what = true, "as an operator"
	case 7:
		delete(s.tags, tagOwner)
		what = "without saying whose"
	}
	c := w.add(s, nil, 0)
	c.kept, c.keptFrom = true, w.now-mostLag-grace
	w.tell("somebody creates %s, for %s, %s", c.id, like.id, what)
}

// corrupt changes what the VPC CNI has set. Nobody makes another cluster's interface cluster A's, or has both the description and the tag name another instance.
func (w *world) corrupt(n, how int) {
	c := pick(w.enisThat(func(c *eni) bool { return c.maker != nil }), n)
	if c == nil || how%10 == 6 && c.shows.last().description != "aws-K8S-"+c.maker.id || how%10 == 9 && c.shows.last().tags[tagInstance] != c.maker.id {
		return
	}
	c.corrupted = true
	w.change(c, func(s *eniState) {
		switch how % 10 {
		case 0:
			delete(s.tags, tagCreated)
		case 1:
			s.tags[tagCreated] = "yesterday"
		case 2:
			s.tags[tagCreated] = "2099-01-01T00:00:00Z"
		case 3:
			s.tags[tagCreated] = "2001-01-01T00:00:00Z"
		case 4:
			delete(s.tags, tagInstance)
		case 5:
			s.tags[tagInstance] = "nonsense"
		case 6:
			s.tags[tagInstance] = pick(w.machines, how/10).id
		case 7:
			delete(s.tags, tagCluster)
		case 8:
			delete(s.tags, tagOwner)
		case 9:
			s.description = "aws-K8S-" + pick(w.machines, how/10).id
		}
	})
	s := c.shows.last()
	w.tell("somebody changes %s: %q %s", c.id, s.description, tagsOf(s.tags))
}

// tagsOf are formatted only if they are told.
type tagsOf map[string]string

func (t tagsOf) String() string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(t)) {
		all = append(all, key+"="+t[key])
	}
	return strings.Join(all, " ")
}

// list is what EC2 says of interfaces some seconds late: one just created is missing, one just deleted is there.
func (w *world) list(lag int) map[string]eniState {
	found := map[string]eniState{}
	for _, c := range w.enis {
		if s, existed := c.shows.at(w.now - lag); existed && s.exists {
			found[c.id] = s
		}
	}
	return found
}

// states are the instances that EC2 shows, some seconds late.
func (w *world) states(lag int) map[string]string {
	found := map[string]string{}
	for _, m := range w.machines {
		if s, existed := m.state.at(w.now - lag); existed && s != "" && !w.blind {
			found[m.id] = s
		}
	}
	return found
}

// The answers to a deletion.
const (
	answerDone     = ""
	answerInUse    = "InvalidParameterValue"
	answerManaged  = "OperationNotPermitted"
	answerNotFound = "InvalidNetworkInterfaceID.NotFound"
)

// remove deletes an interface for a cleaner, as EC2 does, and notes whether it should not have been.
func (w *world) remove(id string) string {
	at := slices.IndexFunc(w.enis, func(c *eni) bool { return c.id == id })
	c := w.enis[at]
	switch s := c.shows.last(); {
	case !s.exists:
		return answerNotFound
	case s.status != "available":
		return answerInUse
	case s.requester:
		return answerManaged
	}
	w.change(c, func(s *eniState) { s.exists = false })
	w.deleted++
	w.tell("%s is deleted", id)
	if wrong := w.wrong(c); wrong != "" && w.violation == "" {
		w.violation, w.victim = wrong, c
		w.tell("which is %s", wrong)
	}
	return answerDone
}

func (w *world) wrong(c *eni) violation {
	switch {
	case c.cluster != 0:
		return otherCluster
	case c.kept && w.now-c.keptFrom >= mostLag+grace:
		return kept
	case c.maker != nil && c.maker.created == c && c.maker.attaches():
		return attaching
	default:
		return ""
	}
}

// age is how many seconds ago an interface was created.
func (w *world) age(c *eni) int { return w.now - c.shows[0].at }
