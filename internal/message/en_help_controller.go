package message

var englishHelpController = sentences{
	"help/controller": "Run the controller, which repairs nodes according to policies",
	"help/controller/long": "Run the controller: it watches the cluster, proposes a Remediation when a node matches a rule of a NodeRepairPolicy, and performs what the guard allows. It sets how long pods stay on a failed node as FailoverPolicies specify. It runs until it is stopped, " +
		"inside or outside the cluster. If several controllers run, only the one that holds the Lease acts, and the others stand by to take over.\n\n" +
		"It requires naosu's custom resource definitions. It detects the providers of the machines from the cluster and from environment variables; for AWS, these are the variables that AWS's own tools read.",
	"flag/controller/leader-elect":      "act only while holding the Lease naosu-controller; if this is off, no other controller may act on the cluster",
	"flag/controller/health-address":    "the `ADDRESS` that serves /livez and /readyz; 0 turns it off",
	"flag/controller/metrics-address":   "the `ADDRESS` that serves Prometheus metrics at /metrics; 0 turns it off",
	"flag/controller/heartbeat-address": "the `ADDRESS` that receives the heartbeats of agents, over TLS, in every replica; 0 turns it off. Requires writing the Secret and the ConfigMap naosu-heartbeat-ca and creating tokenreviews",
	"flag/controller/metrics-secure":    "serve metrics over HTTPS, and only to clients that the API server allows to get /metrics; requires the permissions of the ClusterRole system:auth-delegator. If false, metrics are served to everyone over HTTP",
	"flag/controller/metrics-cert-path": "the `FOLDER` with tls.crt and tls.key for serving metrics; without it, a self-signed certificate is created",
	"flag/controller/eks-cluster":       "the `NAME` of the EKS cluster, if neither node labels nor instance tags show it",
	"flag/controller/placeholder-image": "the `IMAGE` of placeholder pods, which only has to wait",
	"flag/controller/node-prices":       "the `FILE` with the price of a node per hour by instance type, in YAML, such as m5.large: 0.096; the rooms of HeadroomPolicies cost a share of it",
}
