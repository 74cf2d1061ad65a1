package change

// Create makes a ServiceAccount, Secret or ConfigMap that others name and that is not there.
type Create struct {
	Object Ref `json:"object"`
	// Keys are those that are asked of a Secret or ConfigMap; what they are to hold is not known.
	Keys []string `json:"keys,omitempty"`
}

// Subject is the object.
func (c Create) Subject() Ref { return c.Object }

// Command is kubectl's own. The values to fill in stand outside of quotes: unfilled, no shell takes them for values.
func (c Create) Command() string { return c.command() }

// MarshalJSON adds the kind of change to its fields.
func (c Create) MarshalJSON() ([]byte, error) {
	type fields Create
	return marshalTagged("Create", fields(c))
}

func (Create) sealed() {}

func (c Create) command() string {
	if c.Object.Kind == "ServiceAccount" {
		return command("kubectl", "create", "serviceaccount", c.Object.Name, "--namespace", c.Object.Namespace)
	}
	made := command("kubectl", "create", "configmap", c.Object.Name, "--namespace", c.Object.Namespace)
	if c.Object.Kind == "Secret" {
		made = command("kubectl", "create", "secret", "generic", c.Object.Name, "--namespace", c.Object.Namespace)
	}
	for _, key := range c.Keys {
		made += " --from-literal=" + quote(key) + "=" + placeholderFor("value")
	}
	if len(c.Keys) == 0 {
		made += " --from-literal=" + placeholderFor("key") + "=" + placeholderFor("value")
	}
	return made
}

// SetKey adds a key to a Secret or ConfigMap that is there.
type SetKey struct {
	Object Ref    `json:"object"`
	Key    string `json:"key"`
}

// Subject is the object.
func (s SetKey) Subject() Ref { return s.Object }

// Command is a patch with the value to fill in as JSON: unfilled, the API server refuses it.
func (s SetKey) Command() string { return s.command() }

// MarshalJSON adds the kind of change to its fields.
func (s SetKey) MarshalJSON() ([]byte, error) {
	type fields SetKey
	return marshalTagged("SetKey", fields(s))
}

func (SetKey) sealed() {}

func (s SetKey) command() string {
	field := "data"
	if s.Object.Kind == "Secret" {
		field = "stringData"
	}
	return Patch{Object: s.Object, Patch: `{"` + field + `":{"` + s.Key + `":` + placeholderFor("value-in-double-quotes") + `}}`}.command()
}
