package discover

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// TestAgain: AWS cannot be asked when the process begins, and can some looks later.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var looks []time.Duration
		gap := cloud.Gap{Provider: "aws", Why: sentence.CloudNoRegion()}
		d := newDiscovered(t.Context(), func(context.Context) (cloud.Providers, []cloud.Gap) {
			looks = append(looks, time.Since(began))
			if len(looks) < 8 {
				return cloud.Providers{aws.NoAccess{Why: gap.Why}}, []cloud.Gap{gap}
			}
			return cloud.Providers{&aws.Provider{}}, nil
		})
		if providers, gaps := d.Now(); len(providers) != 1 || len(gaps) != 1 {
			t.Errorf("at first %v and %v", providers, gaps)
		}
		told := 0
		d.Run(t.Context(), clock.RealClock{}, func(cloud.Providers, []cloud.Gap) { told++ })
		providers, gaps := d.Now()
		if _, is := providers[0].(*aws.Provider); !is || len(gaps) > 0 || told != 7 {
			t.Errorf("in the end %v and %v, told %d times", providers, gaps, told)
		}
		var waits []time.Duration
		for i, look := range looks[1:] {
			waits = append(waits, look-looks[i])
		}
		want := []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, 5 * time.Minute, 5 * time.Minute}
		if !slices.Equal(waits, want) {
			t.Errorf("it looks again after %v, want %v", waits, want)
		}
	})
}

// TestAgainEnds: who could never be asked keeps no process from ending.
func TestAgainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		d := newDiscovered(ctx, func(context.Context) (cloud.Providers, []cloud.Gap) { return nil, []cloud.Gap{{Provider: "aws"}} })
		d.Run(ctx, clock.RealClock{}, func(cloud.Providers, []cloud.Gap) {})
	})
}
