package chart

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// What would not do what its writer means is refused, and the message says where.
func TestWrongValues(t *testing.T) {
	controller := func(v object) object { return values(object{"controller": v}) }
	agent := func(v object) object { return values(object{"agent": v}) }
	for name, tc := range map[string]struct {
		values object
		// why is what the message says of it.
		why []string
	}{
		"no image":                    {object{}, []string{"image.repository is needed", "docs/en/install.md"}},
		"no image of the agent":       {object{"controller": object{"enabled": false}}, []string{"agent.image.repository is needed"}},
		"an unknown part":             {values(object{"controler": object{}}), []string{"'controler' not allowed"}},
		"a misspelt value":            {controller(object{"replica": 2}), []string{"/controller", "'replica' not allowed"}},
		"no replicas":                 {controller(object{"replicas": 0}), []string{"/controller/replicas", "minimum"}},
		"too many replicas":           {controller(object{"replicas": 6}), []string{"/controller/replicas", "maximum"}},
		"a mode that is none":         {controller(object{"mode": "Report"}), []string{"/controller/mode", "approve"}},
		"half a replica":              {controller(object{"replicas": 1.5}), []string{"/controller/replicas", "integer"}},
		"replicas as text":            {controller(object{"replicas": "2"}), []string{"/controller/replicas", "integer"}},
		"a tag in the repository":     {controller(object{"image": object{"repository": "a/b:c@sha256:d"}}), []string{"/controller/image/repository", "pattern"}},
		"half a digest":               {controller(object{"image": object{"digest": "sha256:12"}}), []string{"/controller/image/digest", "pattern"}},
		"an unknown pull policy":      {agent(object{"image": object{"pullPolicy": "Sometimes"}}), []string{"/agent/image/pullPolicy", "Always"}},
		"a number as an annotation":   {controller(object{"serviceAccount": object{"annotations": object{"a": 1}}}), []string{"/controller/serviceAccount/annotations/a", "string"}},
		"an argument that is no flag": {controller(object{"extraArgs": []any{"crds"}}), []string{"/controller/extraArgs/0", "pattern"}},
		"a port that is none":         {controller(object{"networkPolicy": object{"apiServerPorts": []any{70000}}}), []string{"/controller/networkPolicy/apiServerPorts/0", "maximum"}},
		"no port":                     {controller(object{"networkPolicy": object{"apiServerPorts": []any{}}}), []string{"/controller/networkPolicy/apiServerPorts", "minItems"}},
		"a monitor of no metrics":     {controller(object{"metrics": object{"enabled": false, "serviceMonitor": object{"enabled": true}}}), []string{"/controller/metrics/enabled", "true"}},
		"secure as text":              {controller(object{"metrics": object{"secure": "false"}}), []string{"/controller/metrics/secure", "boolean"}},
		"a Secret that has no name":   {controller(object{"metrics": object{"certificateSecret": "a/b"}}), []string{"/controller/metrics/certificateSecret", "pattern"}},
		"a certificate for HTTP":      {controller(object{"metrics": object{"secure": false, "certificateSecret": "tls"}}), []string{"/controller/metrics", "anyOf"}},
		"a CA for HTTP":               {controller(object{"metrics": object{"secure": false, "serviceMonitor": object{"tlsConfig": object{"serverName": "a"}}}}), []string{"/controller/metrics", "anyOf"}},
		"an interval without a unit":  {controller(object{"metrics": object{"serviceMonitor": object{"interval": "30"}}}), []string{"/controller/metrics/serviceMonitor/interval", "pattern"}},
		"an address without a port":   {agent(object{"metricsAddress": "127.0.0.1"}), []string{"/agent/metricsAddress", "pattern"}},
		"own reasons as a list":       {agent(object{"patterns": object{"raid": []any{}}}), []string{"/agent/patterns/raid", "object"}},
		"own reasons of no name":      {agent(object{"patterns": object{"Raid Team": object{"reasons": []any{}}}}), []string{"invalid propertyName 'Raid Team'"}},
		"an own reason half said":     {agent(object{"patterns": object{"raid": object{"reasons": []any{object{"name": "RaidDegraded"}}}}}), []string{"/agent/patterns/raid/reasons/0", "means"}},
		"a class that is no name":     {agent(object{"priorityClassName": "System Critical"}), []string{"/agent/priorityClassName", "pattern"}},
		"a hook that is no boolean":   {values(object{"uninstall": object{"abortRepairs": "no"}}), []string{"/uninstall/abortRepairs", "boolean"}},
		"a price that is none":        {controller(object{"nodePrices": object{"m5.large": 0}}), []string{"/controller/nodePrices/m5.large", "exclusiveMinimum"}},
		"a misspelt hook":             {values(object{"uninstall": object{"abort": false}}), []string{"/uninstall", "'abort' not allowed"}},
		"the agent's tolerations":     {agent(object{"tolerations": []any{}}), []string{"/agent", "'tolerations' not allowed"}},
		"a volume without a name":     {agent(object{"extraVolumes": []any{object{}}}), []string{"/agent/extraVolumes/0", "name"}},
		"a pull secret as an object":  {values(object{"imagePullSecrets": []any{object{"name": "pull"}}}), []string{"/imagePullSecrets/0", "string"}},
		"resources misspelt":          {agent(object{"resources": object{"limit": object{}}}), []string{"/agent/resources", "'limit' not allowed"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := template(t, namespace, tc.values)
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, part := range tc.why {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("it says %q, without %q", err, part)
				}
			}
		})
	}
}

func TestWrongNamespace(t *testing.T) {
	if _, err := template(t, "default", values()); err == nil || !strings.Contains(err.Error(), "--namespace naosu-system") {
		t.Errorf("in namespace default: %v", err)
	}
}

// Every value has a place in the schema, which is closed and says what it means, and every place in the schema a value.
func TestSchemaIsWhole(t *testing.T) {
	var schema, defaults object
	for name, into := range map[string]*object{"values.schema.json": &schema, "values.yaml": &defaults} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = yaml.YAMLToJSON(data); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	delete(schema["properties"].(object), "global")
	definitions, _ := schema["definitions"].(object)
	compare(t, "", schema, definitions, defaults)
}

func compare(t *testing.T, path string, schema, definitions object, value any) {
	t.Helper()
	described := schema["description"] != nil || path == ""
	if reference, ok := schema["$ref"].(string); ok {
		schema, _ = definitions[strings.TrimPrefix(reference, "#/definitions/")].(object)
		described = described || schema["description"] != nil
	}
	if !described {
		t.Errorf("the schema does not say what %s means", path)
	}
	properties, ok := schema["properties"].(object)
	if !ok {
		return
	}
	if schema["additionalProperties"] != false {
		t.Errorf("the schema lets anything stand below %s", path)
	}
	given, _ := value.(object)
	for name := range given {
		if properties[name] == nil {
			t.Errorf("the schema has no %s/%s", path, name)
		}
	}
	if _, isResources := properties["claims"]; isResources {
		return // Of these a pod needs not have all.
	}
	for name, property := range properties {
		child, there := given[name]
		if !there {
			t.Errorf("values.yaml has no %s/%s", path, name)
		}
		property, _ := property.(object)
		compare(t, path+"/"+name, property, definitions, child)
	}
}
