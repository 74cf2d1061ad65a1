package reporting

import (
	"context"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// A real API server dates what it answers, a watch and a refusal too, and its clock is this host's.
func TestServerClock(t *testing.T) {
	env := guarded(t)
	name := named(t, "n")
	node(t, env.Client, name)
	client, err := kube.Connect(kubeconfig(t, env.AdminConfig(), env.AdminConfig().Host, token(t, env.Client, name)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := map[string]func() error{
		"watch":   func() error { return client.WatchNode(ctx, name, time.Minute, func(kube.Seen) { cancel() }) },
		"patch":   func() error { _, err := client.PatchConditions(t.Context(), name, nil); return err },
		"refusal": func() error { _, err := client.PatchConditions(t.Context(), "another", nil); return err },
	}
	for name, ask := range asked {
		before := len(client.Clock.Readings(time.Now()))
		err := ask()
		readings := client.Clock.Readings(time.Now())
		if len(readings) != before+1 {
			t.Fatalf("%s (%v): there are %d readings after %d", name, err, len(readings), before)
		}
		if least, most := readings[0].Ahead(); least > 0 || most < 0 {
			t.Errorf("%s: the same clock is between %v and %v ahead of itself", name, least, most)
		}
	}
}
