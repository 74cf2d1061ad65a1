package noderepair

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/record"
)

// scrape is the value of each of the Reconciler's metrics, by name and labels, as name{label=value}.
func scrape(t *testing.T, c *Reconciler) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetName()+"="+label.GetValue())
			}
			name := family.GetName()
			if len(labels) > 0 {
				name += "{" + strings.Join(labels, ",") + "}"
			}
			found[name] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
		}
	}
	return found
}

// counted counts what is read of the API.
func counted(api client.Client, reads *int) client.Client {
	return interceptor.NewClient(api.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			*reads++
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			*reads++
			return c.List(ctx, list, opts...)
		},
	})
}

// reserve writes a ledger with two disruptions that go on and one that is over.
func (b *bench) reserve(t *testing.T) {
	t.Helper()
	read, err := b.Records.ReadLedger(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Ledger{}
	for i, name := range []string{"one", "two", "over"} {
		entry := ledger.Entry{Remediation: name, UID: types.UID(name), Began: now, Node: name}
		if i == 2 {
			entry.Ended = now
		}
		l.Entries = append(l.Entries, entry)
	}
	if err := b.Records.WriteLedger(t.Context(), read, l); err != nil {
		t.Fatal(err)
	}
}

// However often it is scraped, nothing is read past the cache, by which naosu's own objects are read.
func TestScrapesReadNothing(t *testing.T) {
	b := newBench(t, nil, new(policy(v1alpha1.ModeAuto)), node("n1", "1a"))
	b.reserve(t)
	past, cached := 0, 0
	b.Reader = counted(b.Reader.(client.Client), &past)
	b.Records.Reader = b.Reader
	b.Client = counted(b.Client, &cached)
	for range 10 {
		if got := scrape(t, b.Reconciler); got["naosu_ledger_reservations"] != 2 {
			t.Fatalf("metrics %v", got)
		}
	}
	if past > 0 || cached != 20 {
		t.Errorf("10 scrapes read the API %d times past the cache, and the cache %d times, want 0 and 20", past, cached)
	}
}

// What is not known has no metric: zero would say that there is nothing to worry about.
func TestUnknownIsAbsent(t *testing.T) {
	b := newBench(t, nil, new(policy(v1alpha1.ModeAuto)))
	unread := cluster.New(cluster.Contents{})
	b.World = func() *cluster.Snapshot { return unread }
	got := scrape(t, b.Reconciler)
	for _, name := range []string{"naosu_unhealthy_nodes", "naosu_watch_age_seconds", "naosu_ledger_reservations", "naosu_ledger_read_timestamp_seconds"} {
		if value, there := got[name]; there {
			t.Errorf("%s is %v, though nothing was read", name, value)
		}
	}
}

// Where another process leads, nothing is read, not from the cache either, and nothing is told of what the leader tells.
func TestStandbyTellsOfItsWatchAlone(t *testing.T) {
	b := newBench(t, nil, new(policy(v1alpha1.ModeAuto)), node("n1", "1a", down(time.Hour)))
	b.reserve(t)
	b.plan(t)
	elected, cached := true, 0
	b.Client, b.Elected = counted(b.Client, &cached), func() bool { return elected }
	leading := scrape(t, b.Reconciler)
	want := map[string]float64{
		"naosu_watch_age_seconds": 0, "naosu_unhealthy_nodes": 1, "naosu_remediations{action=Reboot,outcome=,phase=,policy=links}": 1,
		"naosu_ledger_reservations": 2, "naosu_ledger_read_timestamp_seconds": float64(now.Unix()),
	}
	if diff := cmp.Diff(want, leading); diff != "" {
		t.Errorf("where it leads (-want +got):\n%s", diff)
	}
	elected, cached = false, 0
	if diff := cmp.Diff(map[string]float64{"naosu_watch_age_seconds": 0}, scrape(t, b.Reconciler)); diff != "" || cached > 0 {
		t.Errorf("where another leads, with %d reads (-want +got):\n%s", cached, diff)
	}
}

// The ledger is told as it was last read, with when that was; one that is damaged is not told at all.
func TestLedgerIsAsLastRead(t *testing.T) {
	b := newBench(t, nil, new(policy(v1alpha1.ModeAuto)))
	b.reserve(t)
	away := errors.New("nobody answers")
	api := b.Records.Reader
	b.Records.Reader = interceptor.NewClient(api.(client.WithWatch), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return away
		},
	})
	b.clock.SetTime(now.Add(time.Hour))
	if _, err := b.Records.ReadLedger(t.Context()); !errors.Is(err, away) {
		t.Fatal(err)
	}
	if got := scrape(t, b.Reconciler); got["naosu_ledger_reservations"] != 2 || got["naosu_ledger_read_timestamp_seconds"] != float64(now.Unix()) {
		t.Errorf("an hour after the last read: %v", got)
	}

	var stored corev1.ConfigMap
	if err := b.Client.Get(t.Context(), client.ObjectKey{Namespace: record.DefaultNamespace, Name: record.LedgerName}, &stored); err != nil {
		t.Fatal(err)
	}
	for key := range stored.Data {
		stored.Data[key] = "{"
	}
	if err := b.Client.Update(t.Context(), &stored); err != nil {
		t.Fatal(err)
	}
	b.Records.Reader = api
	if _, err := b.Records.ReadLedger(t.Context()); !errors.Is(err, record.ErrDamaged) {
		t.Fatal(err)
	}
	got := scrape(t, b.Reconciler)
	for _, name := range []string{"naosu_ledger_reservations", "naosu_ledger_read_timestamp_seconds"} {
		if value, there := got[name]; there {
			t.Errorf("%s is %v, though the ledger is damaged", name, value)
		}
	}
}
