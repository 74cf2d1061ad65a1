package whatif

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
)

// title is a change as it is asked.
func title(c change.Change) string { //nolint:gocyclo // A case for each change is plainest.
	ref := c.Subject().String()
	if namespace := c.Subject().Namespace; namespace != "" {
		ref = namespace + "/" + ref
	}
	switch c := c.(type) {
	case change.LoseNode, change.LoseNodes, change.LoseZone, change.LoseGroup:
		return "lose " + ref
	case change.DrainNode:
		return "drain " + ref
	case change.RebootNode:
		return "reboot " + ref
	case change.ReplaceNode:
		return "replace " + ref
	case change.RestartService:
		return "restart " + c.Service + " on " + ref
	case change.Cordon:
		return "cordon " + ref
	case change.Uncordon:
		return "uncordon " + ref
	case change.Taint:
		return "taint " + ref + " " + c.Taint.ToString()
	case change.Untaint:
		return "untaint " + ref + " " + c.Taint.ToString()
	case change.Evict:
		return "evict " + ref
	case change.TagSubnet:
		return "tag " + ref + " " + change.CNITag
	case change.DeleteInterface:
		return "delete " + ref
	case change.DeletePod:
		if c.Force {
			ref += " --force"
		}
		return "delete " + ref
	case change.GrowDaemonSet:
		for _, name := range slices.Sorted(maps.Keys(c.Requests)) {
			quantity := c.Requests[name]
			ref += fmt.Sprintf(" --%s %s", name, quantity.String())
		}
		return "grow " + ref
	case change.ScaleWorkload:
		return fmt.Sprintf("scale %s --replicas %d", ref, c.Replicas)
	case change.ResizeGroup:
		return fmt.Sprintf("scale %s --to %d%s", ref, c.To, zones(c.Zones))
	case change.RotateGroup:
		if c.To > 0 {
			ref += fmt.Sprintf(" --to %d", c.To)
		}
		return "rotate " + ref + zones(c.Zones)
	case change.AddNodes:
		words := fmt.Sprintf("add-nodes %d", c.Count)
		if c.Group != "" {
			words += " --group " + c.Group
		}
		if c.Zone != "" {
			words += " --zone " + c.Zone
		}
		return words
	case change.Patch:
		return "patch " + ref + " -p '" + c.Patch + "'"
	case change.Apply:
		words := "apply -f " + c.From + strings.TrimPrefix(c.Command(), change.Apply{From: c.From}.Command())
		if c.DryRun {
			words += " --server-dry-run"
		}
		return words
	default:
		return c.Command()
	}
}

func zones(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " --zones " + strings.Join(names, ",")
}
