package remote

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/atomicfile"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// addressFile is in the lab's folder as long as the lab runs.
const addressFile = "lab.json"

// address is what addressFile holds.
type address struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// Request and reply of each call.
type (
	faultRequest struct {
		Target lab.Target  `json:"target"`
		State  nodes.State `json:"state"`
	}
	faultReply struct {
		Nodes []string `json:"nodes"`
	}
	scaleRequest struct {
		Group   string `json:"group"`
		Desired int    `json:"desired"`
		Max     int    `json:"max,omitempty"`
	}
	scaleReply struct {
		From int `json:"from"`
	}
)

// Serve answers calls for the lab until ctx ends, and takes the address away again. It returns when the address stands
// in dir, so that a command started after it finds the lab.
func Serve(ctx context.Context, dir string, l *lab.Lab) (stop func() error, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for commands: %w", err)
	}
	at := address{URL: "http://" + listener.Addr().String(), Token: rand.Text()}
	if err := at.write(dir); err != nil {
		return nil, errors.Join(err, listener.Close())
	}

	server := &http.Server{Handler: authorized(at.Token, routes(l)), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return func() error {
		err := errors.Join(os.Remove(filepath.Join(dir, addressFile)), server.Close())
		if e := <-served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
		return err
	}, nil
}

func routes(l *lab.Lab) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /fault", call(func(in faultRequest) (faultReply, error) {
		struck, err := l.Fault(in.Target, in.State)
		return faultReply{Nodes: struck}, err
	}))
	mux.HandleFunc("POST /scale", call(func(in scaleRequest) (scaleReply, error) {
		from, err := l.Scale(in.Group, in.Desired, in.Max)
		return scaleReply{From: from}, err
	}))
	return mux
}

// call makes a handler of a function from a request to a reply; an error is the client's to print.
func call[In, Out any](do func(In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&in); err != nil {
			http.Error(w, fmt.Sprintf("reading the request: %v", err), http.StatusBadRequest)
			return
		}
		out, err := do(in)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
	}
}

func authorized(token string, next http.Handler) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "the token is not this lab's", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// write puts the address in place whole, so that a reader never sees half of it.
func (a address) write(dir string) error {
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encoding the lab's address: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, addressFile), body, 0o600)
}
