package message

var englishHelpController = sentences{
	"help/controller": "Run the controller, which repairs nodes as policies say",
	"help/controller/long": "Run the controller: it watches the cluster, proposes a Remediation where a NodeRepairPolicy's rule is met, and carries out what the guard lets through, until it is told to stop. " +
		"It runs as well outside of the cluster as in it. Of several, the one that holds the lease acts, and the others are ready to go on.\n\n" +
		"It needs naosu's custom resource definitions. Those who run the machines are found by what the cluster and the environment tell: for AWS, the variables that AWS's own tools read.",
	"flag/controller/leader-elect":      "act only while holding the lease naosu-controller; without it, nothing else may act on the cluster",
	"flag/controller/health-address":    "the `ADDRESS` that answers /livez and /readyz; 0 for none",
	"flag/controller/metrics-address":   "the `ADDRESS` that serves Prometheus metrics at /metrics; 0 for none",
	"flag/controller/metrics-secure":    "serve metrics over HTTPS, and to whom the API server lets get /metrics; takes the rights of the ClusterRole system:auth-delegator. False serves them over HTTP, to anybody",
	"flag/controller/metrics-cert-path": "the `FOLDER` of tls.crt and tls.key, with which metrics are served; without it, a self-signed certificate is made",
	"flag/controller/eks-cluster":       "the EKS cluster's `NAME`, where neither labels of nodes nor tags of instances tell it",
}
