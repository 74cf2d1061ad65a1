package status

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// startFailure is a known cause for which a container does not start.
type startFailure struct {
	summary message.Sentence
	causes  []cause
	remedy  message.Sentence // zero if there is none
}

type cause struct {
	said     message.Sentence
	evidence []finding.Evidence
}

// The messages of the kubelet (pkg/kubelet/kuberuntime/security_context_others.go, verifyRunAsNonRoot) and of the runtimes: those of runc
// are Go's (os/exec, LookPath), with quotes that some runtimes escape; those of crun are in src/libcrun/linux.c.
const (
	runAsRoot       = "container's runAsUser breaks non-root policy"
	imageRunsAsRoot = "container has runAsNonRoot and image will run as root"
)

var (
	imageUserNamed   = regexp.MustCompile(`container has runAsNonRoot and image has non-numeric user \(([^()]+)\)`)
	programMissing   = regexp.MustCompile(`exec: \\*"([^"\\]+)\\*": (?:stat [^:]+: no such file or directory|executable file not found in \$PATH)`)
	crunMissing      = regexp.MustCompile("executable file `([^`]+)` not found")
	programForbidden = regexp.MustCompile(`exec: \\*"([^"\\]+)\\*": (?:permission denied|is a directory)`)
	nameReserved     = regexp.MustCompile(`failed to reserve (?:container|sandbox) name`)
)

// postStartHookError is the reason of a container whose postStart hook failed (pkg/kubelet/kuberuntime).
const postStartHookError = "PostStartHookError"

// startFailure is the known cause that the kubelet's reason and message tell; false if they tell none.
func (s *Status) startFailure(pod *corev1.Pod, container, reason, text string) (startFailure, bool) {
	program := func(patterns ...*regexp.Regexp) string {
		for _, pattern := range patterns {
			if m := pattern.FindStringSubmatch(text); m != nil {
				return m[1]
			}
		}
		return ""
	}
	switch missing, forbidden := program(programMissing, crunMissing), program(programForbidden); {
	case reason == postStartHookError:
		return s.hookFails(pod, container, text), true
	case strings.Contains(text, runAsRoot):
		return s.rootForbidden(pod, container, "0"), true
	case strings.Contains(text, imageRunsAsRoot):
		return s.rootForbidden(pod, container, ""), true
	case imageUserNamed.MatchString(text):
		return s.rootForbidden(pod, container, imageUserNamed.FindStringSubmatch(text)[1]), true
	case missing != "":
		return s.programMissing(pod, container, missing), true
	case forbidden != "":
		return s.programForbidden(pod, container, forbidden), true
	case nameReserved.MatchString(text):
		return s.nameReserved(pod, container), true
	default:
		return startFailure{}, false
	}
}

// failedStart is the known cause for which the runtime could not start a container's process; false if it started, or if the cause is
// not known.
func (s *Status) failedStart(pod *corev1.Pod, container string, end *corev1.ContainerStateTerminated) (startFailure, bool) {
	if end == nil || end.Reason != startError {
		return startFailure{}, false
	}
	return s.startFailure(pod, container, end.Reason, end.Message)
}

// explainStartFailure adds the causes of a failure, the first of them with the evidence, and its remedy.
func (s *Status) explainStartFailure(f startFailure, evidence ...finding.Evidence) {
	for i, c := range f.causes {
		if i == 0 {
			c.evidence = append(evidence, c.evidence...)
		}
		s.addCause(c.said, c.evidence...)
	}
	if !f.remedy.IsZero() {
		s.advise(f.remedy)
	}
}

// rootForbidden is the failure of a container that must not run as root, with the user "0", the user of its image that is a name, or
// the root of its image, which is empty.
func (s *Status) rootForbidden(pod *corev1.Pod, container, user string) startFailure {
	f := startFailure{
		summary: sentence.RootForbidden(s.ref, container, user),
		causes:  []cause{{said: sentence.RootForbiddenLink(), evidence: s.nonRootEvidence(pod, container)}},
	}
	if user == "0" {
		user = ""
	}
	f.remedy = sentence.RemedyRunAsUser(container, facts.WorkloadRef(s.World, pod), user)
	return f
}

// nonRootEvidence is where runAsNonRoot is set; a container's own value takes precedence.
func (s *Status) nonRootEvidence(pod *corev1.Pod, container string) []finding.Evidence {
	if c := containerOf(pod, container); c != nil && c.SecurityContext != nil && c.SecurityContext.RunAsNonRoot != nil {
		field := specField(pod, container, "securityContext.runAsNonRoot")
		return []finding.Evidence{facts.Evidence(s.ref, field, strconv.FormatBool(*c.SecurityContext.RunAsNonRoot))}
	}
	if own := pod.Spec.SecurityContext; own != nil && own.RunAsNonRoot != nil {
		return []finding.Evidence{facts.Evidence(s.ref, "spec.securityContext.runAsNonRoot", strconv.FormatBool(*own.RunAsNonRoot))}
	}
	return nil
}

// programMissing is the failure of a container that lacks the program that it should run.
func (s *Status) programMissing(pod *corev1.Pod, container, program string) startFailure {
	field, command := commandOf(pod, container, program)
	named := cause{said: sentence.ProgramNamed(field, program)}
	if field != "" {
		named.evidence = []finding.Evidence{facts.Evidence(s.ref, field, strings.Join(command, " "))}
	}
	f := startFailure{
		summary: sentence.ProgramMissing(s.ref, container, program),
		causes:  []cause{named},
		remedy:  sentence.RemedyProgram(container, facts.WorkloadRef(s.World, pod), program),
	}
	if m := mountAt(pod, container, program); m != nil {
		f.causes = append(f.causes, cause{said: sentence.ProgramHidden(m.Name, m.MountPath)})
	}
	return f
}

// commandOf is the field of a container that names the program, and its value; empty if the image names it. A command replaces the image's
// entrypoint; its first word may refer to a variable.
func commandOf(pod *corev1.Pod, container, program string) (field string, command []string) {
	c := containerOf(pod, container)
	switch {
	case c == nil:
	case len(c.Command) > 0:
		return specField(pod, container, "command"), c.Command
	case len(c.Args) > 0 && c.Args[0] == program:
		return specField(pod, container, "args"), c.Args
	}
	return "", nil
}

// mountAt is the innermost volume that is mounted over a program of a container; nil if there is none, or if the program's folder is
// not known.
func mountAt(pod *corev1.Pod, container, program string) *corev1.VolumeMount {
	c := containerOf(pod, container)
	if c == nil || !strings.Contains(program, "/") {
		return nil
	}
	if !path.IsAbs(program) {
		if c.WorkingDir == "" {
			return nil
		}
		program = path.Join(c.WorkingDir, program)
	}
	var inner *corev1.VolumeMount
	for i, m := range c.VolumeMounts {
		at := path.Clean(m.MountPath)
		if (program == at || strings.HasPrefix(program, strings.TrimSuffix(at, "/")+"/")) && (inner == nil || len(at) > len(path.Clean(inner.MountPath))) {
			inner = &c.VolumeMounts[i]
		}
	}
	return inner
}

// programForbidden is the failure of a container whose program cannot be executed.
func (s *Status) programForbidden(pod *corev1.Pod, container, program string) startFailure {
	volume := ""
	if m := mountAt(pod, container, program); m != nil && holdsConfiguration(pod, m.Name) {
		volume = m.Name
	}
	return startFailure{
		summary: sentence.ProgramForbidden(s.ref, container, program),
		causes:  []cause{{said: sentence.ProgramForbiddenLink(program)}},
		remedy:  sentence.RemedyExecutable(volume, facts.WorkloadRef(s.World, pod), program, container),
	}
}

// holdsConfiguration reports whether the files of a volume come from ConfigMaps or Secrets.
func holdsConfiguration(pod *corev1.Pod, volume string) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Name == volume && (v.ConfigMap != nil || v.Secret != nil || v.Projected != nil)
	})
}

// nameReserved is the failure of a container, or of the sandbox if its name is empty, that the runtime is still creating for an earlier
// request of the kubelet (containerd, internal/cri/server; containerd/containerd#4604, amazonlinux/amazon-linux-2023#1097).
func (s *Status) nameReserved(pod *corev1.Pod, container string) startFailure {
	node := facts.NodeRef(pod.Spec.NodeName)
	f := startFailure{
		summary: sentence.NameReserved(s.ref, container, node),
		causes:  []cause{{said: sentence.NameReservedLink()}},
		remedy:  sentence.RemedyRuntime(node),
	}
	for _, e := range s.Events(pod, "Failed", "FailedCreatePodSandBox") {
		if strings.Contains(e.Message, "deadline exceeded") {
			f.causes[0].evidence = []finding.Evidence{query.EventEvidence(e)}
			break
		}
	}
	return f
}

// hookFails is the failure of a container whose postStart hook fails.
func (s *Status) hookFails(pod *corev1.Pod, container, why string) startFailure {
	return startFailure{
		summary: sentence.HookFails(s.ref, container, why),
		causes:  []cause{{said: sentence.HookStops(postStartText(pod, container))}},
	}
}

// stoppedByHook is the Event of a failed postStart hook after which the kubelet stopped a container; nil if there is none.
func (s *Status) stoppedByHook(pod *corev1.Pod, container string, end *corev1.ContainerStateTerminated) *corev1.Event {
	for _, e := range s.Events(pod, "FailedPostStartHook") {
		_, _, last := query.Occurrences(e)
		if end != nil && !last.Before(&end.StartedAt) && aboutContainer(e, container, pod) {
			return e
		}
	}
	return nil
}

// postStartText describes a container's postStart hook; empty if it has none.
func postStartText(pod *corev1.Pod, container string) string {
	c := containerOf(pod, container)
	if c == nil || c.Lifecycle == nil || c.Lifecycle.PostStart == nil {
		return ""
	}
	switch hook := c.Lifecycle.PostStart; {
	case hook.Exec != nil:
		return strings.Join(hook.Exec.Command, " ")
	case hook.HTTPGet != nil:
		return requestText(hook.HTTPGet)
	default:
		return ""
	}
}
