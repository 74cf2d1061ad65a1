// Package chart tests charts/naosu with Helm's own library: what it renders, and what becomes of a real cluster when it is
// installed, upgraded and uninstalled, with naosu at work under the accounts that it makes.
package chart

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	naosulab "github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/pace"
)

// shared is the lab in which the tests install the chart one after the other; the first that needs it starts it.
var shared struct {
	sync.Once
	*cluster
	err error
}

// cluster is one with nodes, AWS's API in front of its machines, and an audit log.
type cluster struct {
	*naosulab.Lab
	audit  audit
	config *rest.Config
	client kubernetes.Interface
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	code := m.Run()
	if shared.cluster == nil {
		return code
	}
	if err := errors.Join(labtest.Stop(shared.Lab), os.RemoveAll(shared.audit.folder)); err != nil {
		fmt.Fprintln(os.Stderr, "stop the lab:", err)
		return 1
	}
	return code
}

func startCluster() (*cluster, error) {
	folder, err := os.MkdirTemp("", "naosu-chart-")
	if err != nil {
		return nil, err
	}
	audit, err := newAudit(folder)
	if err != nil {
		return nil, err
	}
	flags := audit.flags()
	// At this pace they would be 15, which no FailoverPolicy may set.
	flags[controlplane.APIServer] = append(flags[controlplane.APIServer], "--default-not-ready-toleration-seconds=300", "--default-unreachable-toleration-seconds=300")
	l, err := labtest.New(context.Background(), naosulab.Options{
		Pace:  pace.New(20),
		Cloud: cloud.Spec{Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 3, Max: 4}}},
		Flags: flags,
		// As before Kubernetes 1.34: what is watched is listed first.
		FeatureGates: map[string]bool{"WatchList": false},
	})
	if err != nil {
		return nil, err
	}
	config := l.Plane.AdminConfig()
	return &cluster{l, audit, config, kubernetes.NewForConfigOrDie(config)}, nil
}

func newFixture(t *testing.T) *cluster {
	t.Helper()
	testbed.Need(t)
	shared.Do(func() { shared.cluster, shared.err = startCluster() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

const (
	folder      = "../../charts/naosu"
	namespace   = "naosu-system"
	releaseName = "naosu"
)

// object is any part of what is given to a chart.
type object = map[string]any

// values are the least that must be given, and more.
func values(more ...object) object {
	all := object{
		"controller": object{"image": object{"repository": "registry.example/naosu"}},
		"agent":      object{"image": object{"repository": "registry.example/naosu-agent"}},
	}
	for _, m := range more {
		merge(all, m)
	}
	return all
}

func merge(into, from object) {
	for key, value := range from {
		part, isObject := value.(object)
		old, wasObject := into[key].(object)
		if isObject && wasObject {
			merged := maps.Clone(old)
			merge(merged, part)
			value = merged
		}
		into[key] = value
	}
}

func load(t testing.TB) *chartv2.Chart {
	t.Helper()
	c, err := loader.LoadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// template is `helm template`, in a namespace.
func template(t testing.TB, in string, given object) (*release.Release, error) {
	t.Helper()
	install := action.NewInstall(action.NewConfiguration())
	install.ReleaseName, install.Namespace, install.DryRunStrategy = releaseName, in, action.DryRunClient
	install.KubeVersion = &common.KubeVersion{Version: "v1.36.3", Major: "1", Minor: "36"}
	install.APIVersions = common.VersionSet{"admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"}
	made, err := install.RunWithContext(context.WithoutCancel(t.Context()), load(t), given)
	if err != nil {
		return nil, err
	}
	return made.(*release.Release), nil
}

// rendered are the objects of the chart, by kind and name, and by namespace where that is not naosu's.
func rendered(t testing.TB, given object) map[string]*unstructured.Unstructured {
	t.Helper()
	made, err := template(t, namespace, given)
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, made.Manifest)
}

func objects(t testing.TB, manifest string) map[string]*unstructured.Unstructured {
	t.Helper()
	found := map[string]*unstructured.Unstructured{}
	for _, document := range documents(manifest) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if len(o.Object) == 0 {
			continue
		}
		key := o.GetKind() + "/" + o.GetName()
		if n := o.GetNamespace(); n != "" && n != namespace {
			key += " in " + n
		}
		if found[key] != nil {
			t.Errorf("%s is there twice", key)
		}
		found[key] = o
	}
	return found
}
