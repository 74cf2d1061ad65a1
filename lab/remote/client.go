package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// ErrNoLab is returned where no lab runs in the folder.
var ErrNoLab = errors.New("no lab is running")

// Client calls a running lab.
type Client struct {
	at   address
	http *http.Client
}

// Dial finds the lab that runs in dir. The error is ErrNoLab where there is none.
func Dial(dir string) (*Client, error) {
	body, err := os.ReadFile(filepath.Join(dir, addressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNoLab, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the lab's address: %w", err)
	}
	c := &Client{http: &http.Client{Timeout: 30 * time.Second}}
	if err := json.Unmarshal(body, &c.at); err != nil {
		return nil, fmt.Errorf("reading the lab's address in %s: %w", dir, err)
	}
	return c, nil
}

// Fault brings the target's machines into a state and returns the nodes it struck.
func (c *Client) Fault(ctx context.Context, target lab.Target, state nodes.State) ([]string, error) {
	var out faultReply
	err := c.post(ctx, "/fault", faultRequest{Target: target, State: state}, &out)
	return out.Nodes, err
}

// Scale sets a node group's desired size, and its maximum unless that is zero. It returns what the desired size was.
func (c *Client) Scale(ctx context.Context, group string, desired, highest int) (from int, err error) {
	var out scaleReply
	err = c.post(ctx, "/scale", scaleRequest{Group: group, Desired: desired, Max: highest}, &out)
	return out.From, err
}

func (c *Client) post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encoding the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.at.URL+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("calling the lab: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.at.Token)
	response, err := c.http.Do(request)
	if err != nil {
		// A lab that was killed leaves its address behind.
		return fmt.Errorf("%w: %w", ErrNoLab, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		message, _ := io.ReadAll(io.LimitReader(response.Body, 4096))
		return errors.New(strings.TrimSpace(string(message)))
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("reading the lab's answer: %w", err)
	}
	return nil
}
