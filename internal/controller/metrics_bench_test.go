package controller

import (
	"crypto/tls"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// BenchmarkScrapes is what a minute with sixty scrapes takes of a controller at rest, on a cluster so small that what it holds of
// that does not hide it: over HTTP to everybody, and over HTTPS to readers. Reviews are what the API server is asked about those.
func BenchmarkScrapes(b *testing.B) {
	const nodes = 10
	for _, scheme := range []string{"http", "https"} {
		b.Run(scheme, func(b *testing.B) {
			server, url := serve(b, clustertest.BigContents(nodes, 20*nodes).Objects, restful())
			for b.Loop() {
				address := freeAddress(b)
				pid, health := child(b, url, benchMetrics+"="+scheme+"://"+address)
				await(b, health)
				rest := time.NewTimer(30 * time.Second)
				<-rest.C // The last of what starting takes, and a first plan.
				cpu := cpuOf(b, pid)
				tick := time.NewTicker(time.Second)
				for range 60 {
					<-tick.C
					scrape(b, scheme+"://"+address+"/metrics")
				}
				tick.Stop()
				b.ReportMetric((cpuOf(b, pid)-cpu)*1000, "CPU-ms/min")
				b.ReportMetric(float64(server.reviews.Load()), "reviews/min")
				b.ReportMetric(memoryOf(b, pid, "VmRSS"), "MiB-resident")
			}
		})
	}
}

func scrape(b *testing.B, url string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer anybody's")
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // Nobody has signed its certificate.
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s", response.Status, body)
	}
}
