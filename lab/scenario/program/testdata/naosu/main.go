// Command naosu replaces the real one in tests of how a program is run.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

//go:embed crds.yaml
var crds string

func main() {
	switch os.Args[1] {
	case "crds":
		fmt.Print(crds)
	case "controller":
		controller(os.Args[3])
	case "echo":
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
			"args": os.Args[2:], "kubeconfig": os.Getenv("KUBECONFIG"), "profile": os.Getenv("AWS_PROFILE"), "endpoint": os.Getenv("AWS_ENDPOINT_URL_EC2"),
		})
		os.Exit(3)
	case "wait":
		select {}
	default:
		fmt.Fprintln(os.Stderr, "no such command")
		os.Exit(2)
	}
}

// controller is ready at once, and ends on request, by a signal or by a request.
func controller(address string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server := &http.Server{Addr: address, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/die" {
			fmt.Fprintln(os.Stderr, "told to die")
			os.Exit(7)
		}
	})}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	fmt.Fprintln(os.Stderr, "at work with", os.Getenv("KUBECONFIG"))
	_ = server.ListenAndServe()
}
