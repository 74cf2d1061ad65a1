// Command failover measures at real time how long it takes until the pods of the second incident are replaced, with Kubernetes alone, with
// naosu's policies, and with naosu's agents, and writes the table into the documentation. It needs what `make programs` builds, and root.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/naosu-dev/naosu/hack/page"
)

// The table stands between these lines.
const (
	beginMark = "<!-- make failover -->\n"
	endMark   = "<!-- end -->\n"
)

func main() {
	root := flag.String("root", ".", "the folder of the module")
	flag.Parse()
	if err := run(context.Background(), *root); err != nil {
		fmt.Fprintln(os.Stderr, "failover:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	figures, err := measure(ctx, root)
	if err != nil {
		return err
	}
	fmt.Print(table(figures, english))
	for _, lang := range []string{english, japanese} {
		if err := page.Insert(filepath.Join(root, "docs", lang, "failover.md"), beginMark, endMark, table(figures, lang)); err != nil {
			return err
		}
	}
	return nil
}
