package status

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// missingRef is a Secret or ConfigMap that a pod needs and that does not exist or lacks a key.
type missingRef struct {
	change.Ref
	// key is the missing key; empty if the object is missing.
	key string
}

// The kubelet's messages about missing objects (pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables; pkg/volume/secret and
// configmap, MakePayload). Keys contain letters, digits, dots, dashes and underscores only (apimachinery, IsConfigMapKey).
var (
	missingObject    = regexp.MustCompile(`\b(secret|configmap) "([^"]+)" not found`)
	missingKey       = regexp.MustCompile(`couldn't find key ([-._a-zA-Z0-9]+) in (Secret|ConfigMap) [^/ ]+/([^/ ]+)`)
	missingMountKey  = regexp.MustCompile(`SetUp failed for volume "([^"]+)".*references non-existent (secret|config) key: ([-._a-zA-Z0-9]+)`)
	missingKindNames = map[string]string{"secret": "Secret", "Secret": "Secret", "configmap": "ConfigMap", "ConfigMap": "ConfigMap"}
)

// missingSource extracts the missing object from the kubelet's message. naosu does not read Secrets, and ConfigMaps only by name.
func missingSource(pod *corev1.Pod, text string) (missingRef, bool) {
	of := func(kind, name, key string) (missingRef, bool) {
		return missingRef{change.Ref{Kind: missingKindNames[kind], Namespace: pod.Namespace, Name: name}, key}, name != ""
	}
	if m := missingKey.FindStringSubmatch(text); m != nil {
		return of(m[2], m[3], m[1])
	}
	if m := missingMountKey.FindStringSubmatch(text); m != nil {
		i := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m[1] })
		switch {
		case i < 0:
		case m[2] == "secret" && pod.Spec.Volumes[i].Secret != nil:
			return of("secret", pod.Spec.Volumes[i].Secret.SecretName, m[3])
		case m[2] == "config" && pod.Spec.Volumes[i].ConfigMap != nil:
			return of("configmap", pod.Spec.Volumes[i].ConfigMap.Name, m[3])
		}
		return missingRef{}, false
	}
	if m := missingObject.FindStringSubmatch(text); m != nil {
		return of(m[1], m[2], "")
	}
	return missingRef{}, false
}

// proposeCreate proposes to create what is missing. A person must fill in the contents.
func (s *Status) proposeCreate(pod *corev1.Pod, m missingRef) {
	if m.key != "" {
		s.addRemedies(s.Propose(change.SetKey{Object: m.Ref, Key: m.key}, sentence.RemedySetKey(m.key, m.Ref, m.Namespace), sentence.RemedyCreateCost(), sentence.RemedyCreateRisk(m.Ref)).Remedy)
		return
	}
	done := change.Create{Object: m.Ref, Keys: keysOf(pod, m.Ref)}
	s.addRemedies(s.Propose(done, sentence.RemedyCreate(m.Ref, m.Namespace), sentence.RemedyCreateCost(), sentence.RemedyCreateRisk(m.Ref)).Remedy)
}

// keysOf are the keys of a Secret or ConfigMap that a pod uses.
func keysOf(pod *corev1.Pod, ref change.Ref) []string {
	var keys []string
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, e := range c.Env {
			if key, name := keyOf(e, ref.Kind); name == ref.Name {
				keys = append(keys, key)
			}
		}
	}
	for _, v := range pod.Spec.Volumes {
		for _, path := range itemsOf(v, ref) {
			keys = append(keys, path.Key)
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return !configKey.MatchString(key) })
}

// keyOf is the key that a variable gets its value from, and the object's name; empty if it does not refer to an object of the kind.
func keyOf(e corev1.EnvVar, kind string) (key, name string) {
	switch from := e.ValueFrom; {
	case from == nil:
	case kind == "Secret" && from.SecretKeyRef != nil:
		return from.SecretKeyRef.Key, from.SecretKeyRef.Name
	case kind == "ConfigMap" && from.ConfigMapKeyRef != nil:
		return from.ConfigMapKeyRef.Key, from.ConfigMapKeyRef.Name
	}
	return "", ""
}

// itemsOf are the keys that a volume uses.
func itemsOf(v corev1.Volume, ref change.Ref) []corev1.KeyToPath {
	switch {
	case ref.Kind == "Secret" && v.Secret != nil && v.Secret.SecretName == ref.Name:
		return v.Secret.Items
	case ref.Kind == "ConfigMap" && v.ConfigMap != nil && v.ConfigMap.Name == ref.Name:
		return v.ConfigMap.Items
	}
	return nil
}

var configKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// missingServiceAccount matches the name of a missing ServiceAccount in an error of the API server: `error looking up service account
// shop/app: serviceaccount "app" not found` (plugin/pkg/admission/serviceaccount).
var missingServiceAccount = regexp.MustCompile(`serviceaccount "([^"]+)" not found`)

// serviceAccountIn is the missing ServiceAccount in an error about pods of a namespace; false if there is none.
func serviceAccountIn(namespace, text string) (change.Ref, bool) {
	m := missingServiceAccount.FindStringSubmatch(text)
	if m == nil {
		return change.Ref{}, false
	}
	return change.Ref{Kind: string(cluster.ServiceAccount), Namespace: namespace, Name: m[1]}, true
}

// proposeServiceAccount proposes to create a ServiceAccount, unless it exists by now.
func (s *Status) proposeServiceAccount(ref change.Ref) {
	if s.World.Object(cluster.ServiceAccount, ref.Namespace, ref.Name) != nil {
		s.addCause(sentence.AccountThere(ref))
		return
	}

	s.addRemedies(s.Propose(change.Create{Object: ref}, sentence.RemedyCreate(ref, ref.Namespace), sentence.RemedyCreateCost(), sentence.RemedyAccountRisk(ref)).Remedy)
}

// missingFrom says what is missing in a container's environment.
func (m missingRef) missingFrom(container string) message.Sentence {
	if m.key != "" {
		return sentence.SourceKeyMissing(container, m.key, m.Kind, m.Name, m.Namespace)
	}
	return sentence.SourceMissing(container, m.Kind, m.Name, m.Namespace)
}
