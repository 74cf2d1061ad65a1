package aws

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
)

var eks = &service{
	name:       "eks",
	operations: map[string]operation{"DescribeNodegroup": describeNodegroup, "DescribeUpdate": describeUpdate, "UpdateNodegroupConfig": updateNodegroupConfig},
	read:       readPath, answer: answerJSON, refuse: refuseJSON,
	unknownKey: "UnrecognizedClientException", wrongSignature: "InvalidSignatureException", unauthorized: "AccessDeniedException",
}

// readPath knows GET /clusters/NAME/node-groups/NAME, and what readUpdate and readDescribeUpdate do.
func readPath(r *http.Request) (action string, given parameters) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) == 4 && parts[0] == "clusters" && parts[2] == "updates" {
		return readDescribeUpdate(r, parts)
	}
	if len(parts) < 4 || len(parts) > 5 || parts[0] != "clusters" || parts[2] != "node-groups" {
		return "", nil
	}
	if len(parts) == 5 {
		return readUpdate(r, parts)
	}
	if r.Method != http.MethodGet {
		return "", nil
	}
	return "DescribeNodegroup", parameters{"name": {parts[1]}, "nodegroupName": {parts[3]}}
}

// The parts of a Nodegroup that the lab's cloud holds.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
type (
	nodegroup struct {
		Name          string                 `json:"nodegroupName"`
		ARN           string                 `json:"nodegroupArn"`
		Cluster       string                 `json:"clusterName"`
		Status        string                 `json:"status"`
		CapacityType  string                 `json:"capacityType"`
		Scaling       scaling                `json:"scalingConfig"`
		InstanceTypes []string               `json:"instanceTypes"`
		Labels        map[string]string      `json:"labels,omitempty"`
		Taints        []taint                `json:"taints,omitempty"`
		Resources     resources              `json:"resources"`
		NodeRepair    cloud.NodeRepairConfig `json:"nodeRepairConfig"`
		Subnets       []string               `json:"subnets"`
		Health        health                 `json:"health"`
	}
	health struct {
		Issues []issue `json:"issues"`
	}
	issue struct {
		Code        string   `json:"code"`
		Message     string   `json:"message"`
		ResourceIDs []string `json:"resourceIds"`
	}
	scaling struct {
		MinSize     int `json:"minSize"`
		MaxSize     int `json:"maxSize"`
		DesiredSize int `json:"desiredSize"`
	}
	taint struct {
		Key    string `json:"key"`
		Value  string `json:"value,omitempty"`
		Effect string `json:"effect"`
	}
	resources struct {
		AutoScalingGroups []resourceName `json:"autoScalingGroups"`
	}
	resourceName struct {
		Name string `json:"name"`
	}
)

// Effects of taints, in EKS's words.
var taintEffects = map[string]string{"NoSchedule": "NO_SCHEDULE", "NoExecute": "NO_EXECUTE", "PreferNoSchedule": "PREFER_NO_SCHEDULE"}

// https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeNodegroup.html
func describeNodegroup(r request) (any, error) {
	g, err := r.nodegroup()
	if err != nil {
		return nil, err
	}
	return map[string]nodegroup{"nodegroup": r.server.describeNodegroup(g)}, nil
}

func (s *Server) describeNodegroup(g cloud.Group) nodegroup {
	shown := nodegroup{
		Name: g.Name, Cluster: s.ClusterName, Status: statusActive, CapacityType: "ON_DEMAND",
		ARN:     fmt.Sprintf("arn:aws:eks:%s:%s:nodegroup/%s/%s", s.Cloud.Region(), account, s.ClusterName, g.Name),
		Scaling: scaling{g.Min, g.Max, g.Desired}, InstanceTypes: []string{g.InstanceType}, Labels: g.Labels,
		Resources: resources{[]resourceName{{g.Name}}}, NodeRepair: nodeRepairOf(g),
		Subnets: s.subnetsOf(g), Health: healthOf(g),
	}
	if s.resizing(g.Name) {
		shown.Status = statusUpdating
	}
	for _, t := range g.Taints {
		shown.Taints = append(shown.Taints, taint{t.Key, t.Value, taintEffects[string(t.Effect)]})
	}
	return shown
}

// subnetsOf are the IDs of those that the group's instances may be launched in.
func (s *Server) subnetsOf(g cloud.Group) []string {
	ids := []string{}
	for _, subnet := range s.Cloud.Subnets() {
		named := len(g.Subnets) == 0 || slices.Contains(g.Subnets, subnet.ID) || slices.Contains(g.Subnets, subnet.Tags["Name"])
		if named && slices.Contains(g.Zones, subnet.Zone) {
			ids = append(ids, subnet.ID)
		}
	}
	return ids
}

// healthOf is what EKS says of a group that cannot launch instances.
// https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html
func healthOf(g cloud.Group) health {
	issues := []issue{}
	if g.LaunchFault != nil && g.LaunchFault.Code == cloud.CodeInsufficientFreeAddresses {
		issues = append(issues, issue{"InsufficientFreeAddresses", g.LaunchFault.Message, []string{g.Name}})
	}
	return health{issues}
}

func answerJSON(w http.ResponseWriter, id, _ string, result any) {
	writeJSON(w, id, http.StatusOK, result)
}

// https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html
func refuseJSON(w http.ResponseWriter, id string, fault *cloud.Error) {
	w.Header().Set("x-amzn-ErrorType", fault.Code)
	writeJSON(w, id, statusOf(fault.Code), map[string]string{"message": fault.Message})
}

func writeJSON(w http.ResponseWriter, id string, status int, content any) {
	document, err := json.Marshal(content)
	if err != nil {
		http.Error(w, "encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("x-amzn-RequestId", id)
	w.WriteHeader(status)
	_, _ = w.Write(document)
}
