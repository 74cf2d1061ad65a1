package aws

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
)

var eks = &service{
	name:       "eks",
	operations: map[string]operation{"DescribeNodegroup": describeNodegroup, "UpdateNodegroupConfig": updateNodegroupConfig},
	read:       readPath, answer: answerJSON, refuse: refuseJSON,
	unknownKey: "UnrecognizedClientException", wrongSignature: "InvalidSignatureException", unauthorized: "AccessDeniedException",
}

// readPath knows GET /clusters/NAME/node-groups/NAME, and what readUpdate does.
func readPath(r *http.Request) (action string, given parameters) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
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
		AutoScalingGroups []named `json:"autoScalingGroups"`
	}
	named struct {
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
		Name: g.Name, Cluster: s.ClusterName, Status: "ACTIVE", CapacityType: "ON_DEMAND",
		ARN:     fmt.Sprintf("arn:aws:eks:%s:%s:nodegroup/%s/%s", s.Cloud.Region(), account, s.ClusterName, g.Name),
		Scaling: scaling{g.Min, g.Max, g.Desired}, InstanceTypes: []string{g.InstanceType}, Labels: g.Labels,
		Resources: resources{[]named{{g.Name}}}, NodeRepair: nodeRepairOf(g),
	}
	for _, t := range g.Taints {
		shown.Taints = append(shown.Taints, taint{t.Key, t.Value, taintEffects[string(t.Effect)]})
	}
	return shown
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
