package merge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

type fields = map[string]any

// generator makes objects up, and edits them as people do.
type generator struct{ *rand.Rand }

func (g *generator) percent(n int) bool { return g.IntN(100) < n }

func pick[T any](g *generator, choices ...T) T { return choices[g.IntN(len(choices))] }

// object is one of some kind.
func (g *generator) object(name string) fields {
	labels := fields{"app": name}
	template := fields{"metadata": fields{"labels": labels}, "spec": g.podSpec()}
	switch draw := g.IntN(100); {
	case draw < 50:
		spec := fields{"replicas": int64(1 + g.IntN(5)), "selector": fields{"matchLabels": labels}, "template": template}
		if g.percent(40) {
			spec["strategy"] = fields{"type": "RollingUpdate", "rollingUpdate": fields{"maxSurge": int64(1)}}
		}
		return of("apps/v1", "Deployment", name, spec)
	case draw < 65:
		claim := fields{
			"metadata": fields{"name": "data"},
			"spec":     fields{"accessModes": []any{"ReadWriteOnce"}, "resources": fields{"requests": fields{"storage": "1Gi"}}},
		}
		return of("apps/v1", "StatefulSet", name, fields{
			"serviceName": name, "replicas": int64(1 + g.IntN(5)), "selector": fields{"matchLabels": labels}, "template": template, "volumeClaimTemplates": []any{claim},
		})
	case draw < 75:
		return of("apps/v1", "DaemonSet", name, fields{"selector": fields{"matchLabels": labels}, "template": template})
	case draw < 83:
		delete(template, "metadata")
		template["spec"].(fields)["restartPolicy"] = "Never"
		return of("batch/v1", "Job", name, fields{"parallelism": int64(1), "template": template})
	case draw < 89:
		delete(template, "metadata")
		template["spec"].(fields)["restartPolicy"] = "Never"
		return of("batch/v1", "CronJob", name, fields{"schedule": "0 0 1 1 *", "jobTemplate": fields{"spec": fields{"template": template}}})
	case draw < 94:
		return of("policy/v1", "PodDisruptionBudget", name, fields{"minAvailable": int64(1), "selector": fields{"matchLabels": labels}})
	default:
		return of("v1", "Service", name, fields{"selector": labels, "ports": []any{port("http", 80), port("admin", 8080)}})
	}
}

func of(version, kind, name string, spec fields) fields {
	return runtime.DeepCopyJSON(fields{"apiVersion": version, "kind": kind, "metadata": fields{"name": name, "annotations": fields{"team": "a"}}, "spec": spec})
}

func port(name string, number int64) fields { return fields{"name": name, "port": number} }

func (g *generator) podSpec() fields {
	containers := []any{g.container("main")}
	if g.percent(50) {
		containers = append(containers, g.container("side"))
	}
	spec := fields{"containers": containers}
	if g.percent(40) {
		spec["nodeSelector"] = fields{"pool": "p0", "disk": "ssd"}
	}
	if g.percent(30) {
		spec["tolerations"] = []any{fields{"key": "gpu", "operator": "Exists"}}
	}
	if g.percent(30) {
		spec["volumes"] = []any{fields{"name": "tmp", "emptyDir": fields{}}}
		containers[0].(fields)["volumeMounts"] = []any{fields{"name": "tmp", "mountPath": "/tmp"}}
	}
	return spec
}

func (g *generator) container(name string) fields {
	c := fields{"name": name, "image": "img:1", "resources": fields{"requests": fields{"cpu": pick[any](g, "100m", "0.1", int64(1)), "memory": "64Mi"}}}
	if g.percent(70) {
		c["env"] = []any{fields{"name": "A", "value": "1"}, fields{"name": "B", "value": pick(g, "", "2")}, fields{"name": "NODE", "valueFrom": fields{"fieldRef": fields{"fieldPath": "spec.nodeName"}}}}
	}
	if g.percent(50) {
		c["ports"] = []any{fields{"containerPort": int64(80), "name": "http"}, fields{"containerPort": int64(8080)}}
	}
	if g.percent(40) {
		c["args"] = []any{"-a", "-b"}
	}
	return c
}

// edited is a manifest after a person's edits.
func (g *generator) edited(manifest fields) fields {
	next := runtime.DeepCopyJSON(manifest)
	for range 1 + g.IntN(3) {
		g.edit(next)
	}
	return next
}

func (g *generator) edit(manifest fields) {
	spec := manifest["spec"].(fields)
	annotations, _ := manifest["metadata"].(fields)["annotations"].(fields)
	switch draw := g.IntN(12); {
	case draw == 0 && spec["replicas"] != nil:
		delete(spec, "replicas")
		return
	case draw == 1 && (manifest["kind"] == "Deployment" || manifest["kind"] == "StatefulSet"):
		spec["replicas"] = int64(1 + g.IntN(9))
		return
	case draw == 2:
		delete(manifest["metadata"].(fields), "annotations")
		return
	case draw == 3 && annotations != nil:
		annotations[pick(g, "team", "owner")] = fmt.Sprint(g.IntN(3))
		return
	case draw == 4:
		delete(spec, "strategy")
		return
	}
	switch manifest["kind"] {
	case "Service":
		spec["ports"] = pick(g, []any{port("http", 80)}, []any{port("admin", 8080), port("http2", 81)}, []any{port("http", 80), port("admin", 8080), port("extra", 9000)})
	case "PodDisruptionBudget":
		delete(spec, "minAvailable")
		delete(spec, "maxUnavailable")
		spec[pick(g, "minAvailable", "maxUnavailable")] = int64(g.IntN(3))
	case "CronJob":
		g.editPod(spec["jobTemplate"].(fields)["spec"].(fields)["template"].(fields)["spec"].(fields))
	case "Job":
		if g.percent(60) {
			spec["parallelism"] = int64(g.IntN(4))
			return
		}
		g.editPod(spec["template"].(fields)["spec"].(fields)) // The API server refuses most of it.
	default:
		g.editPod(spec["template"].(fields)["spec"].(fields))
	}
}

func (g *generator) editPod(pod fields) {
	containers := pod["containers"].([]any)
	main := containers[0].(fields)
	switch g.IntN(9) {
	case 0:
		delete(pod, "nodeSelector")
	case 1:
		pod["nodeSelector"] = fields{pick(g, "pool", "zone"): "p1"}
	case 2:
		delete(pod, "tolerations")
	case 3:
		pod["tolerations"] = []any{fields{"key": "gpu", "operator": "Exists"}, fields{"key": "spot", "value": "yes", "effect": "NoSchedule"}}
	case 4:
		if len(containers) > 1 {
			pod["containers"] = containers[:1]
		} else {
			pod["containers"] = []any{g.container("side"), main} // The order changes, too.
		}
	case 5:
		main["image"] = fmt.Sprintf("img:%d", g.IntN(4))
	case 6:
		g.editEnvironment(main)
	case 7:
		main["ports"] = pick(g, []any{fields{"containerPort": int64(80), "name": "web"}}, []any{fields{"containerPort": int64(81)}, fields{"containerPort": int64(8080)}})
	default:
		main["resources"] = pick(g, fields{}, fields{"requests": fields{"cpu": "200m"}}, fields{"requests": fields{"cpu": "100m"}, "limits": fields{"cpu": int64(1)}})
		delete(main, "args")
	}
}

func (g *generator) editEnvironment(c fields) {
	env, _ := c["env"].([]any)
	switch draw := g.IntN(4); {
	case draw == 0 || len(env) == 0:
		c["env"] = append(slices.DeleteFunc(slices.Clone(env), func(v any) bool { return v.(fields)["name"] == "NEW" }), fields{"name": "NEW", "value": fmt.Sprint(g.IntN(3))})
	case draw == 1:
		c["env"] = env[1:]
	case draw == 2:
		slices.Reverse(env)
	default:
		env[0] = fields{"name": env[0].(fields)["name"], "value": fmt.Sprint(g.IntN(3))}
	}
	if env, _ := c["env"].([]any); len(env) == 0 {
		delete(c, "env")
	}
}
