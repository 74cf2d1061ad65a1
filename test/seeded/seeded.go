// Package seeded plays random runs that are the same each time.
package seeded

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Runs are those of one core: Play plays one, End looks at what all have come to.
type Runs struct {
	Play func(*rapid.T)
	End  func()
}

// Check has each core play random runs, by default so many; -rapid.checks says otherwise. They are the same each time, so that what fails is a
// change's fault; another seed in NAOSU_SEED draws others, and hack/random-faults.sh does.
func Check(t *testing.T, number int, on func(*testing.T) Runs) {
	first, err := strconv.ParseUint(cmp.Or(os.Getenv("NAOSU_SEED"), "1"), 10, 32)
	if err != nil {
		t.Fatalf("NAOSU_SEED: %v", err)
	}
	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if !set["rapid.checks"] {
		setFlag(t, "rapid.checks", fmt.Sprint(number))
	}
	given := flag.Lookup("rapid.seed").Value.String() != "0" // to replay a run
	var seeding sync.Mutex
	for core := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprint(core), func(t *testing.T) {
			t.Parallel()
			// The seed is a flag of the process, which rapid has read by the time of the first run.
			seeding.Lock()
			seeded := sync.OnceFunc(seeding.Unlock)
			defer seeded()
			if !given {
				setFlag(t, "rapid.seed", fmt.Sprint(first<<32+uint64(core)))
			}
			runs := on(t)
			rapid.Check(t, func(rt *rapid.T) {
				seeded()
				runs.Play(rt)
			})
			runs.End()
		})
	}
}

func setFlag(t *testing.T, name, value string) {
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
}
