package scheduling

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var errRefused = errors.New("the judge asks no cluster and changes none")

// refusingTransport is an HTTP transport that refuses every request.
type refusingTransport struct{ requests atomic.Int64 }

func (r *refusingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	r.requests.Add(1)
	return nil, fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, errRefused)
}

// client is the client that the scheduler's plugins are given.
func (r *refusingTransport) client() (kubernetes.Interface, error) {
	return kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://refused.invalid"}, &http.Client{Transport: r})
}
