package intake

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Values stand for the values of environment variables: each becomes a digest that is equal where the value is, and without
// the key tells nothing of it (docs/adr/0010). The zero Values have no key, and make nothing of every value.
type Values struct {
	// Key is random. Who has it and a digest can try what the value may have been.
	Key []byte
}

// NewValues are Values with a new key.
func NewValues() Values {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // It never fails (crypto/rand).
	return Values{Key: key}
}

// Check tells the key from others; empty if there is none.
func (v Values) Check() string {
	if !v.Known() {
		return ""
	}
	sum := sha256.Sum256(append([]byte("naosu key "), v.Key...))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// mark begins each digest, so that none is made of another.
const mark = "naosu-digest:"

// Known says whether there is a key.
func (v Values) Known() bool { return len(v.Key) > 0 }

// digest stands for a value, or for a value's digest.
func (v Values) digest(value string) string {
	switch {
	case !v.Known() || value == "":
		return ""
	case strings.HasPrefix(value, mark):
		return value
	}
	mac := hmac.New(sha256.New, v.Key)
	mac.Write([]byte(value))
	return mark + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// env replaces the values of variables.
func (v Values) env(env []corev1.EnvVar) {
	for i := range env {
		env[i].Value = v.digest(env[i].Value)
	}
}

// Seal replaces the values of environment variables in a manifest, wherever in it containers stand, and leaves out the manifests
// that objects within it were made of.
func (v Values) Seal(manifest any) {
	switch part := manifest.(type) {
	case map[string]any:
		delete(part, corev1.LastAppliedConfigAnnotation)
		for key, inner := range part {
			if variables, is := inner.([]any); is && key == "env" {
				v.sealVariables(variables)
			}
			v.Seal(inner)
		}
	case []any:
		for _, inner := range part {
			v.Seal(inner)
		}
	}
}

func (v Values) sealVariables(variables []any) {
	for _, variable := range variables {
		fields, is := variable.(map[string]any)
		if !is {
			continue
		}
		switch value := fields["value"].(type) {
		case nil:
		case string:
			fields["value"] = v.digest(value)
		default:
			fields["value"] = "" // The API server takes nothing but strings.
		}
	}
}

// SealTemplate replaces the values of environment variables in the template of an object that makes pods.
func (v Values) SealTemplate(o Object) {
	for _, env := range environments(o) {
		v.env(env)
	}
}

// HasValue says whether the template of an object that makes pods has the value of an environment variable, or its digest.
func HasValue(o Object) bool {
	return slices.ContainsFunc(environments(o), func(env []corev1.EnvVar) bool {
		return slices.ContainsFunc(env, func(variable corev1.EnvVar) bool { return variable.Value != "" })
	})
}

// environments are those of the containers of the pods that an object makes.
func environments(o Object) [][]corev1.EnvVar {
	made := template(o)
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
