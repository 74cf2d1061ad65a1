package controller

import (
	"net"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/naosu-dev/naosu/internal/record"
)

// added takes what is added to a manager.
type added struct {
	manager.Manager
	runnables []manager.Runnable
}

func (a *added) Add(r manager.Runnable) error {
	a.runnables = append(a.runnables, r)
	return nil
}

func TestHeartbeatAddress(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for name, tc := range map[string]struct {
		address string
		serves  bool
		fails   string
	}{
		"none":      {address: ""},
		"off":       {address: "0"},
		"free":      {address: "127.0.0.1:0", serves: true},
		"taken":     {address: taken.Addr().String(), fails: "listen for heartbeats: listen tcp " + taken.Addr().String()},
		"no number": {address: "127.0.0.1:x", fails: "listen for heartbeats"},
	} {
		t.Run(name, func(t *testing.T) {
			mgr := &added{}
			got, err := addHeartbeats(t.Context(), mgr, &rest.Config{Host: "https://127.0.0.1:1"}, &record.Records{}, Options{HeartbeatAddress: tc.address, Namespace: "naosu-system"})
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("%v, want %q", err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer got.close()
			if serves := got.Server != nil && len(mgr.runnables) == 2; serves != tc.serves {
				t.Errorf("it serves: %t, want %t", serves, tc.serves)
			}
			for _, r := range mgr.runnables {
				if one, ok := r.(manager.LeaderElectionRunnable); !ok || one.NeedLeaderElection() {
					t.Errorf("%T runs only while the replica leads", r)
				}
			}
		})
	}
}
