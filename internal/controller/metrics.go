package controller

import (
	"crypto/tls"

	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// metricsServer is how metrics are served: over TLS, and to whom the API server knows (TokenReview) and lets get /metrics
// (SubjectAccessReview), unless o says otherwise. The rights to ask it are those of the ClusterRole system:auth-delegator.
func metricsServer(o Options) server.Options {
	options := server.Options{BindAddress: addressOrNone(o.MetricsAddress)}
	if !o.MetricsSecure {
		return options
	}
	options.SecureServing, options.CertDir = true, o.MetricsCertPath
	options.FilterProvider = withAuthorization
	options.TLSOpts = []func(*tls.Config){withoutHTTP2}
	return options
}

// withoutHTTP2 leaves HTTP/1.1: a scrape needs no streams, by which strangers could make work before they are asked who they are.
func withoutHTTP2(config *tls.Config) { config.NextProtos = []string{"http/1.1"} }
