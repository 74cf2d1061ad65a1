package aws

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// readUpdate knows POST /clusters/NAME/node-groups/NAME/update-config. The body's fields are the parameters, as JSON.
func readUpdate(r *http.Request, parts []string) (action string, given parameters) {
	if r.Method != http.MethodPost || parts[4] != "update-config" {
		return "", nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", nil // no action, which is refused
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return "", nil
	}
	given = parameters{}
	for name, value := range fields {
		given[name] = []string{string(value)}
	}
	given["name"], given["nodegroupName"] = []string{parts[1]}, []string{parts[3]}
	return "UpdateNodegroupConfig", given
}

// The parts of an Update that the lab knows.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_Update.html
type (
	update struct {
		ID        string        `json:"id"`
		Status    string        `json:"status"`
		Type      string        `json:"type"`
		Params    []updateParam `json:"params"`
		CreatedAt float64       `json:"createdAt"`
		Errors    []updateError `json:"errors,omitempty"`
	}
	updateError struct {
		Code      string   `json:"errorCode"`
		Message   string   `json:"errorMessage"`
		Resources []string `json:"resourceIds"`
	}
	updateParam struct {
		Type  string `json:"type"`
		Value string `json:"value"`
	}
)

// updateNodegroupConfig changes nodeRepairConfig, at once, or scalingConfig (resizeNodegroup). What else EKS changes by this call is refused here.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html
func updateNodegroupConfig(r request) (any, error) {
	g, err := r.nodegroup()
	if err != nil {
		return nil, err
	}
	for name := range r.parameters {
		if !slices.Contains([]string{"name", "nodegroupName", "clientRequestToken", "nodeRepairConfig", "scalingConfig"}, name) {
			return nil, refuse("InvalidParameterException", "The lab does not change %s of a node group.", name)
		}
	}
	if size := r.parameters.text("scalingConfig"); size != "" {
		return r.resizeNodegroup(g, size)
	}
	given := r.parameters.text("nodeRepairConfig")
	if given == "" {
		return nil, refuse("InvalidRequestException", "No changes needed for the node group provided")
	}
	config := nodeRepairOf(g)
	if err := json.NewDecoder(strings.NewReader(given)).Decode(&config); err != nil {
		return nil, refuse("InvalidParameterException", "nodeRepairConfig: %v", err)
	}
	if err := r.server.Cloud.SetNodeRepair(g.Name, config); err != nil {
		return nil, refuse("InvalidParameterException", "%s", asError(err).Message)
	}
	return map[string]update{"update": {
		ID: r.id, Status: "InProgress", Type: "ConfigUpdate", Params: []updateParam{{"NodeRepairConfig", given}},
		CreatedAt: float64(r.server.Clock.Now().UnixNano()) / float64(time.Second),
	}}, nil
}

// nodegroup finds the managed node group that a path names.
func (r request) nodegroup() (cloud.Group, error) {
	cluster, name := r.parameters.text("name"), r.parameters.text("nodegroupName")
	if cluster != r.server.ClusterName {
		return cloud.Group{}, refuse("ResourceNotFoundException", "No cluster found for name: %s.", cluster)
	}
	groups := r.server.Cloud.Groups()
	at := slices.IndexFunc(groups, func(g cloud.Group) bool { return g.Name == name && !g.Foreign })
	if at < 0 {
		return cloud.Group{}, refuse("ResourceNotFoundException", "No node group found for name: %s.", name)
	}
	return groups[at], nil
}

// nodeRepairOf is what a group says of EKS's repair; EKS shows one that was never set as switched off.
func nodeRepairOf(g cloud.Group) cloud.NodeRepairConfig {
	if g.NodeRepair == nil {
		return cloud.NodeRepairConfig{}
	}
	return *g.NodeRepair
}
