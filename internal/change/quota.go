package change

import "encoding/json"

// Quotas is the provider's own command that lists a region's quotas, with what is used of them where it tells; it changes nothing.
// It is empty for providers that have none.
//
// Sources: gcloud `compute regions describe`, AWS CLI `service-quotas list-service-quotas`, Azure CLI `vm list-usage`.
func Quotas(provider Provider, region string) string {
	switch provider {
	case GKE:
		return command("gcloud", "compute", "regions", "describe", orPlaceholder(region, "region"))
	case EKS, Karpenter:
		return command("aws", "service-quotas", "list-service-quotas", "--service-code", "ec2", "--region", orPlaceholder(region, "region"))
	case AKS:
		return command("az", "vm", "list-usage", "--location", orPlaceholder(region, "location"), "--output", "table")
	default:
		return ""
	}
}

// Limit is the command that sets limits of a NodePool of Karpenter's, by resource; others keep theirs. Without any it opens the
// NodePool for editing.
func Limit(pool string, limits map[string]string) string {
	if len(limits) == 0 {
		return command("kubectl", "edit", "nodepool", pool)
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"limits": limits}})
	if err != nil {
		panic("change: limits that are no JSON: " + err.Error()) // They are strings.
	}
	return command("kubectl", "patch", "nodepool", pool, "--type", "merge", "--patch", string(patch))
}
