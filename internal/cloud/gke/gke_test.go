package gke

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/cloud"
)

func TestRepairers(t *testing.T) {
	machine := func(node, providerID, pool string) cloud.Machine {
		return cloud.Machine{Node: node, ProviderID: providerID, Labels: map[string]string{labelPool: pool}}
	}
	found, err := Provider{}.Repairers(t.Context(), []cloud.Machine{
		machine("gke-a-1", "gce://project/zone/gke-a-1", "a"), machine("gk3-x-1", "gce://project/zone/gk3-x-1", "x"),
		machine("gke-a-2", "gce://project/zone/gke-a-2", "a"), machine("own", "gce://project/zone/own", ""), machine("eks", "aws:///a/i-1", "a"),
	})
	if err != nil {
		t.Fatal(err)
	}
	type repairer struct {
		By    string
		Nodes []string
		Known bool
	}
	var got []repairer
	for _, one := range found {
		got = append(got, repairer{one.By.String(), one.Nodes, one.Known()})
	}
	if diff := cmp.Diff([]repairer{{"group/a", []string{"gke-a-1", "gke-a-2"}, false}, {"group/x", []string{"gk3-x-1"}, true}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
