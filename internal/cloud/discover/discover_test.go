package discover

import (
	"os"
	"slices"
	"testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object/objecttest"
	"github.com/naosu-dev/naosu/internal/message"
)

// lead has the AWS SDK find nothing but what the environment is given here.
func lead(t *testing.T, environment map[string]string) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, environment[name])
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

var (
	ofGroup     = cloud.Machine{Node: "a", ProviderID: "aws:///eu-west-1b/i-0123456789abcdef0", Labels: map[string]string{"eks.amazonaws.com/nodegroup": "workers"}}
	ofKarpenter = cloud.Machine{Node: "b", ProviderID: "aws:///eu-west-1b/i-0123456789abcdef1", Labels: map[string]string{"karpenter.sh/nodepool": "general"}}
	ofAutoMode  = cloud.Machine{Node: "c", ProviderID: "aws:///eu-west-1b/i-0123456789abcdef2", Labels: map[string]string{"eks.amazonaws.com/compute-type": "auto"}}
	ofMetal     = cloud.Machine{Node: "d", ProviderID: "metal:///d"}
)

// TestDiscover: who manages a machine is asked before who runs it.
func TestDiscover(t *testing.T) {
	lead(t, map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-west-1"})
	providers, gaps := Discover(t.Context(), Options{Client: objecttest.New(t, objecttest.Options{})})
	if len(gaps) != 0 {
		t.Errorf("gaps %+v, want none", gaps)
	}
	for _, tc := range []struct {
		machine cloud.Machine
		action  v1alpha1.Action
		want    string
	}{
		{ofGroup, v1alpha1.ActionReboot, "aws"},
		{ofGroup, v1alpha1.ActionReplace, "aws"},
		{ofKarpenter, v1alpha1.ActionReboot, "aws"},
		{ofKarpenter, v1alpha1.ActionReplace, "karpenter"},
		{ofMetal, v1alpha1.ActionReboot, ""},
		{ofGroup, v1alpha1.ActionRestartService, ""},
	} {
		got := ""
		if p, found := providers.For(tc.action, tc.machine); found {
			got = p.Name()
		}
		if got != tc.want {
			t.Errorf("%s of %s is %q's, want %q's", tc.action, tc.machine.ProviderID, got, tc.want)
		}
	}
}

// TestDiscoverWithoutCredentials: AWS is a gap, nothing is offered for its machines, and who else repairs them is not known.
func TestDiscoverWithoutCredentials(t *testing.T) {
	lead(t, nil)
	providers, gaps := Discover(t.Context(), Options{Client: objecttest.New(t, objecttest.Options{})})
	if len(gaps) != 1 || gaps[0].Provider != "aws" || gaps[0].Why.ID != message.CloudNoCredentials {
		t.Errorf("gaps %+v, want AWS's", gaps)
	}
	if p, found := providers.For(v1alpha1.ActionReboot, ofGroup); found {
		t.Errorf("%s offers a reboot", p.Name())
	}
	var known, unknown []string
	for _, p := range providers {
		if r, is := p.(cloud.Repairers); is {
			found, err := r.Repairers(t.Context(), []cloud.Machine{ofGroup, ofAutoMode, ofMetal})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range found {
				if one.Known() {
					known = append(known, one.Nodes...)
				} else {
					unknown = append(unknown, one.Nodes...)
				}
			}
		}
	}
	if !slices.Equal(known, []string{"c"}) || !slices.Equal(unknown, []string{"a"}) {
		t.Errorf("repaired are %v, perhaps %v; want c and a", known, unknown)
	}
}
