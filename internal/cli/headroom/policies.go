package headroom

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// policy is a HeadroomPolicy and what its status says.
type policy struct {
	Name string        `json:"name"`
	Mode v1alpha1.Mode `json:"mode"`
	// Covered, ZonesCovered and Protected are the conditions; left out if the policy has none, because it asks for none or no controller has processed it.
	Covered      *condition `json:"covered,omitempty"`
	ZonesCovered *condition `json:"zonesCovered,omitempty"`
	Protected    *condition `json:"protected,omitempty"`
	// Wanted, Bound and Pending are its room; left out if they are not known.
	Wanted  *v1alpha1.HeadroomHeld `json:"wanted,omitempty"`
	Bound   *v1alpha1.HeadroomHeld `json:"bound,omitempty"`
	Pending *v1alpha1.HeadroomHeld `json:"pending,omitempty"`
	// Workloads are the numbers of those that it protects, and of those that are exposed; left out if they are not known.
	Workloads []v1alpha1.HeadroomProtectedWorkloads `json:"workloads,omitempty"`

	asked struct{ room, zones, protection bool }
}

// condition is one of a policy's status.
type condition struct {
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// readPolicies are the HeadroomPolicies of the cluster, and a gap if they cannot be read. A cluster that does not serve them has none.
func (o *Options) readPolicies(ctx context.Context) ([]policy, []finding.Gap) {
	if o.From != "" {
		return nil, nil // A snapshot does not hold them.
	}
	objects, err := connect.ToObjects(o.Config)
	var list v1alpha1.HeadroomPolicyList
	if err == nil {
		err = objects.List(ctx, &list)
	}
	var unserved *meta.NoKindMatchError
	switch {
	case apierrors.IsNotFound(err), errors.As(err, &unserved):
		return nil, nil
	case err != nil:
		return nil, []finding.Gap{{About: v1alpha1.HeadroomPolicyKind, Message: sentence.ProofOwnUnread(err.Error())}}
	}
	return policiesOf(list.Items), nil
}

// policiesOf are policies as their status has them.
func policiesOf(items []v1alpha1.HeadroomPolicy) []policy {
	var all []policy
	for i := range items {
		p, status := &items[i], &items[i].Status
		one := policy{Name: p.Name, Mode: p.Spec.Mode, Wanted: status.Wanted, Bound: status.Bound, Pending: status.Pending}
		one.asked.room, one.asked.zones, one.asked.protection = p.StatesFailures(), p.Spec.ZoneCoverage != nil, p.Spec.Protect != nil
		one.Covered, one.Protected = conditionOf(status, v1alpha1.HeadroomCovered), conditionOf(status, v1alpha1.HeadroomProtected)
		one.ZonesCovered = conditionOf(status, v1alpha1.ZonesCovered)
		if status.Protection != nil {
			one.Workloads = status.Protection.Workloads
		}
		all = append(all, one)
	}
	return all
}

func conditionOf(status *v1alpha1.HeadroomPolicyStatus, kind string) *condition {
	c := meta.FindStatusCondition(status.Conditions, kind)
	if c == nil {
		return nil
	}
	return &condition{string(c.Status), c.Reason, c.Message}
}

// policies is the table of the HeadroomPolicies.
func (w writer) policies(all []policy) {
	if len(all) == 0 {
		return
	}
	zones := slices.ContainsFunc(all, func(p policy) bool { return p.asked.zones })
	protects := slices.ContainsFunc(all, func(p policy) bool { return p.asked.protection })
	heads := []message.Sentence{
		sentence.HeadroomHeadPolicy(), sentence.HeadroomHeadMode(), sentence.HeadroomHeadCovered(), sentence.HeadroomHeadWanted(), sentence.HeadroomHeadBound(), sentence.HeadroomHeadPending(),
	}
	if zones {
		heads = append(heads, sentence.HeadroomHeadZones())
	}
	if protects {
		heads = append(heads, sentence.HeadroomHeadProtected(), sentence.HeadroomHeadExposed())
	}
	rows := make([][]string, len(all))
	for i, p := range all {
		rows[i] = []string{p.Name, string(p.Mode), p.Covered.cell(p.asked.room), heldCell(p.Wanted, p.asked.room), heldCell(p.Bound, p.asked.room), heldCell(p.Pending, p.asked.room)}
		if zones {
			rows[i] = append(rows[i], p.ZonesCovered.cell(p.asked.zones))
		}
		if protects {
			rows[i] = append(rows[i], p.Protected.cell(p.asked.protection), exposedCell(p.Workloads, p.asked.protection))
		}
	}
	w.Blank()
	w.Table("", w.heads(heads...), rows)
}

// noneCell is that of what a policy does not ask for.
const noneCell = "-"

// cell is a condition, with the reason for which it is not True.
func (c *condition) cell(asked bool) string {
	switch {
	case !asked:
		return noneCell
	case c == nil:
		return unknownCell
	case c.Reason == v1alpha1.HeadroomCovered || c.Reason == v1alpha1.HeadroomProtected:
		return c.Status
	default:
		return c.Status + " (" + c.Reason + ")"
	}
}

// heldCell is a room as in "3 (1500m/4Gi)".
func heldCell(held *v1alpha1.HeadroomHeld, asked bool) string {
	switch {
	case !asked:
		return noneCell
	case held == nil:
		return unknownCell
	case held.Placeholders == 0:
		return "0"
	default:
		return strconv.Itoa(int(held.Placeholders)) + " (" + held.CPU.String() + "/" + held.Memory.String() + ")"
	}
}

// exposedCell is how many workloads are not protected, of how many, as in "Job 2/5, Deployment 0/3".
func exposedCell(workloads []v1alpha1.HeadroomProtectedWorkloads, asked bool) string {
	switch {
	case !asked:
		return noneCell
	case len(workloads) == 0:
		return unknownCell
	}
	cells := make([]string, len(workloads))
	for i, of := range workloads {
		cells[i] = fmt.Sprintf("%s %d/%d", of.Kind, of.Exposed, of.Protected+of.Exposed)
	}
	return strings.Join(cells, ", ")
}
