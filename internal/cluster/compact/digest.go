package compact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

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
		env[i].Value = d.digest(env[i].Value)
	}
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
			fields["value"] = d.digest(value)
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

// HasEnvValue says whether an object's pod template has the value of an environment variable, or its digest.
func HasEnvValue(o Object) bool {
	return slices.ContainsFunc(envOf(o), func(env []corev1.EnvVar) bool {
		return slices.ContainsFunc(env, func(variable corev1.EnvVar) bool { return variable.Value != "" })
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
