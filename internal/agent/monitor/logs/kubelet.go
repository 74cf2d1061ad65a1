package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// kubeletLog is the kubelet's log, whichever unit the kubelet runs in.
const kubeletLog = "kubelet"

// kubeletUnits are the units in which a kubelet logs: its own, and those of distributions that have it in their own process.
var kubeletUnits = []string{"kubelet.service", "k3s.service", "k3s-agent.service"}

// RKE2 runs its kubelet with its output in a file, which it turns over by renaming (rancher/rke2, pkg/podexecutor). Told so, it writes
// to its unit's journal as well, where its own lines are.
const rke2File = "/var/lib/rancher/rke2/agent/logs/kubelet.log"

var rke2Units = []string{"rke2-server.service", "rke2-agent.service"}

// kubeletLine is a line of the kubelet as its patterns have it, which is that of klog's text format from the name of the file on:
//
//	prober.go:122] "Probe failed" probeType="Liveness" pod="shop/web-0"
//
// It is empty if the line begins with no header of klog's, in text or JSON, or names another file than those given. What a pod has
// the kubelet write, as a probe's output, never begins a line: klog puts a tab before it, or quotes it.
func kubeletLine(text string, files []string) string {
	if strings.HasPrefix(text, `{"ts":`) {
		return jsonLine(text, files)
	}
	rest := klogRest(text)
	for _, file := range files {
		if after, is := strings.CutPrefix(rest, file); is && strings.HasPrefix(after, ":") {
			return rest
		}
	}
	return ""
}

// klogRest is what comes after "E0718 09:11:02.713117    1881 " (k8s.io/klog/v2/internal/buffer, FormatHeader), or empty.
func klogRest(text string) string {
	const form = "E0718 09:11:02.713117 "
	if len(text) < len(form) || strings.IndexByte("IWEF", text[0]) < 0 {
		return ""
	}
	for i := 1; i < len(form); i++ {
		if digit := form[i] >= '0' && form[i] <= '9'; digit && !isDigit(text[i]) || !digit && text[i] != form[i] {
			return ""
		}
	}
	rest := strings.TrimLeft(text[len(form):], " ")
	thread := strings.TrimLeft(rest, "0123456789")
	if len(thread) == len(rest) {
		return ""
	}
	after, _ := strings.CutPrefix(thread, " ")
	return after
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// jsonLine is the same of a line in JSON (k8s.io/component-base/logs/json): an object with ts, caller and msg first, whose other
// fields are the pairs of the text format. There the error is the first of them, here the last.
func jsonLine(text string, files []string) string {
	caller := jsonString(text, `"caller":"`)
	file, _, _ := strings.Cut(path.Base(caller), ":")
	if !slices.Contains(files, file) {
		return "" // Most lines: they are not decoded.
	}
	var message, failed string
	var pairs strings.Builder
	decoder := json.NewDecoder(strings.NewReader(text))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return ""
	}
	for decoder.More() {
		key, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return ""
		}
		switch key {
		case "ts", "caller", "v":
		case "msg":
			message = textOf(value)
		case "err":
			failed = " err=" + textOf(value)
		default:
			name, _ := key.(string)
			pairs.WriteString(" " + name + "=" + textOf(value))
		}
	}
	if end, err := decoder.Token(); err != nil || end != json.Delim('}') {
		return ""
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return ""
	}
	return path.Base(caller) + "] " + message + failed + pairs.String()
}

// jsonString is the string after the first such key, as far as it has no escapes.
func jsonString(text, key string) string {
	_, after, found := strings.Cut(text, key)
	value, _, ended := strings.Cut(after, `"`)
	if !found || !ended {
		return ""
	}
	return value
}

// textOf is a JSON value as klog's text format has it: strings in quotes, and of an object its namespace and name.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return strconv.Quote(text)
	}
	var object struct{ Name, Namespace string }
	if bytes.HasPrefix(value, []byte{'{'}) && json.Unmarshal(value, &object) == nil {
		return strconv.Quote(strings.TrimPrefix(object.Namespace+"/"+object.Name, "/"))
	}
	return string(value)
}
