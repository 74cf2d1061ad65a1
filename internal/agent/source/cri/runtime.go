package cri

import "context"

const service = "runtime.v1.RuntimeService/"

// Version is which runtime answers: "containerd", "1.7.27".
type Version struct{ Name, Version string }

// Version asks which runtime it is.
func (c *Client) Version(ctx context.Context) (Version, error) {
	var version Version
	answer, err := c.call(ctx, service+"Version", nil)
	if err != nil {
		return version, err
	}
	err = each(answer, func(f field) error {
		switch f.number {
		case 2:
			return f.text(&version.Name)
		case 3:
			return f.text(&version.Version)
		}
		return nil
	})
	return version, err
}

// Condition is what the runtime says of itself: RuntimeReady or NetworkReady.
type Condition struct {
	Type            string
	True            bool
	Reason, Message string
}

// Status asks how the runtime does.
func (c *Client) Status(ctx context.Context) ([]Condition, error) {
	answer, err := c.call(ctx, service+"Status", nil)
	if err != nil {
		return nil, err
	}
	return conditions(answer)
}

func conditions(answer []byte) ([]Condition, error) {
	var all []Condition
	err := each(answer, func(f field) (err error) {
		if f.number == 1 {
			all, err = list(f.bytes, 1, (*Condition).read)
		}
		return err
	})
	return all, err
}

func (c *Condition) read(f field) error {
	switch f.number {
	case 1:
		return f.text(&c.Type)
	case 2:
		return f.is(1, &c.True)
	case 3:
		return f.text(&c.Reason)
	case 4:
		return f.text(&c.Message)
	}
	return nil
}

// Sandbox is a pod's: what its containers share.
type Sandbox struct {
	ID, Namespace, Name, UID string
	// Stopped is true once the sandbox was stopped, or died.
	Stopped bool
}

// Sandboxes lists the sandboxes that bear all of some labels.
func (c *Client) Sandboxes(ctx context.Context, labels map[string]string) ([]Sandbox, error) {
	answer, err := c.call(ctx, service+"ListPodSandbox", message(nil).nested(1, message(nil).labels(3, labels)))
	if err != nil {
		return nil, err
	}
	return list(answer, 1, (*Sandbox).read)
}

func (s *Sandbox) read(f field) error {
	switch f.number {
	case 1:
		return f.text(&s.ID)
	case 2:
		return each(f.bytes, s.metadata)
	case 3:
		return f.is(1, &s.Stopped) // SANDBOX_NOTREADY
	}
	return nil
}

func (s *Sandbox) metadata(f field) error {
	switch f.number {
	case 1:
		return f.text(&s.Name)
	case 2:
		return f.text(&s.UID)
	case 3:
		return f.text(&s.Namespace)
	}
	return nil
}

// Container is one container.
type Container struct {
	ID, Sandbox, Name string
	Running           bool
}

// Containers lists all containers.
func (c *Client) Containers(ctx context.Context) ([]Container, error) {
	answer, err := c.call(ctx, service+"ListContainers", nil)
	if err != nil {
		return nil, err
	}
	return list(answer, 1, (*Container).read)
}

func (c *Container) read(f field) error {
	switch f.number {
	case 1:
		return f.text(&c.ID)
	case 2:
		return f.text(&c.Sandbox)
	case 3:
		return each(f.bytes, func(f field) error {
			if f.number == 1 {
				return f.text(&c.Name)
			}
			return nil
		})
	case 6:
		return f.is(1, &c.Running) // CONTAINER_RUNNING
	}
	return nil
}
