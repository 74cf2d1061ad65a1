package compact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/naosu-dev/naosu/internal/kube"
)

// Digester replaces the values of environment variables by digests (HMAC-SHA-256): equal values have equal digests, and without
// the key a digest tells nothing about its value (docs/adr/0010). The zero Digester has no key and removes every value.
type Digester struct {
	// Key is random. With it the value of a digest can be found by trying candidates.
	Key []byte
}

// NewDigester returns a Digester with a new random key.
func NewDigester() Digester {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // It never fails (crypto/rand).
	return Digester{Key: key}
}

// KeyID identifies the key; empty if there is none.
func (d Digester) KeyID() string {
	if !d.HasKey() {
		return ""
	}
	sum := sha256.Sum256(append([]byte("naosu key "), d.Key...))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// digestPrefix begins each digest, so that a digest is not digested again.
const digestPrefix = "naosu-digest:"

// HasKey says whether there is a key.
func (d Digester) HasKey() bool { return len(d.Key) > 0 }

// digest is the digest of a value; a digest is returned as it is.
func (d Digester) digest(value string) string {
	switch {
	case !d.HasKey() || value == "":
		return ""
	case strings.HasPrefix(value, digestPrefix):
		return value
	}
	mac := hmac.New(sha256.New, d.Key)
	mac.Write([]byte(value))
	return digestPrefix + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// digestEnv replaces the values of variables.
func (d Digester) digestEnv(env []corev1.EnvVar) {
	for i := range env {
		env[i].Value = d.digestVariable(env[i].Name, env[i].Value)
	}
}

// digestVariable is the digest of a variable's value, or the value itself if it is a setting.
func (d Digester) digestVariable(name, value string) string {
	if isSetting(name, value) {
		return value
	}
	return d.digest(value)
}

// settings are variables of the VPC CNI that determine how many addresses a node holds.
//
// Source: https://github.com/aws/amazon-vpc-cni-k8s#cni-configuration-variables.
var settings = []string{
	"WARM_ENI_TARGET", "WARM_IP_TARGET", "MINIMUM_IP_TARGET", "WARM_PREFIX_TARGET", "MAX_ENI", "ENABLE_PREFIX_DELEGATION", "ENABLE_IPv6",
	"ENABLE_POD_ENI", "ENABLE_SUBNET_DISCOVERY", "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG",
}

// settingValue matches values that cannot be confidential: small numbers and booleans.
var settingValue = regexp.MustCompile(`^(?:-?\d{1,5}|true|false)$`)

// keySettings are variables of the VPC CNI that say which label or annotation of a node names its ENIConfig.
var keySettings = []string{"ENI_CONFIG_LABEL_DEF", "ENI_CONFIG_ANNOTATION_DEF"}

// isSetting says whether the value of a variable is kept: that of one of settings, if it is a small number or a boolean, or of one of keySettings, if it can
// be the key of a label or annotation: the keys of nodes are kept, too.
func isSetting(name, value string) bool {
	return slices.Contains(settings, name) && settingValue.MatchString(value) || slices.Contains(keySettings, name) && len(validation.IsQualifiedName(value)) == 0
}

// DigestManifest replaces the values of environment variables in a manifest, at whatever depth containers are, and removes
// last-applied annotations.
func (d Digester) DigestManifest(manifest any) {
	switch part := manifest.(type) {
	case map[string]any:
		delete(part, corev1.LastAppliedConfigAnnotation)
		for key, inner := range part {
			if variables, is := inner.([]any); is && key == "env" {
				d.digestVariables(variables)
			}
			d.DigestManifest(inner)
		}
	case []any:
		for _, inner := range part {
			d.DigestManifest(inner)
		}
	}
}

func (d Digester) digestVariables(variables []any) {
	for _, variable := range variables {
		fields, is := variable.(map[string]any)
		if !is {
			continue
		}
		switch value := fields["value"].(type) {
		case nil:
		case string:
			name, _ := fields["name"].(string)
			fields["value"] = d.digestVariable(name, value)
		default:
			fields["value"] = "" // The API server accepts only strings.
		}
	}
}

// DigestTemplate replaces the values of environment variables in an object's pod template.
func (d Digester) DigestTemplate(o Object) {
	for _, env := range envOf(o) {
		d.digestEnv(env)
	}
}

// HasEnvValue says whether an object's pod template has the value of an environment variable, or its digest. Settings do not count.
func HasEnvValue(o Object) bool {
	return slices.ContainsFunc(envOf(o), func(env []corev1.EnvVar) bool {
		return slices.ContainsFunc(env, func(variable corev1.EnvVar) bool {
			return variable.Value != "" && !isSetting(variable.Name, variable.Value)
		})
	})
}

// envOf returns the environment variables of each container in an object's pod template.
func envOf(o Object) [][]corev1.EnvVar {
	made := kube.PodTemplate(o)
	if made == nil {
		return nil
	}
	var all [][]corev1.EnvVar
	for i := range made.Spec.InitContainers {
		all = append(all, made.Spec.InitContainers[i].Env)
	}
	for i := range made.Spec.Containers {
		all = append(all, made.Spec.Containers[i].Env)
	}
	for i := range made.Spec.EphemeralContainers {
		all = append(all, made.Spec.EphemeralContainers[i].Env)
	}
	return all
}
