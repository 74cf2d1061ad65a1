package expr

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Function is a helper of the language beyond what CEL and its extensions have.
type Function struct {
	// Usage shows a call, and Meaning says what it gives.
	Usage, Meaning string

	option func(*typeSystem) cel.EnvOption
}

// Functions are all helpers, in the order of the documentation. node("name") is one more, a macro.
var Functions = []Function{
	{
		`list.named("redis-0")`, "those of the list with this name",
		filter("named", func(o metav1.Object, name string) bool { return o.GetName() == name }),
	},
	{
		`list.inNamespace("redash")`, "those in this namespace",
		filter("inNamespace", func(o metav1.Object, namespace string) bool { return o.GetNamespace() == namespace }),
	},
	{
		`list.matching("app=redis")`, "those whose labels match the selector, written as for kubectl -l",
		filter("matching", func(o metav1.Object, selector string) bool {
			s, err := labels.Parse(selector)
			return err == nil && s.Matches(labels.Set(o.GetLabels()))
		}),
	},
	{
		`list.inZone("us-east-1c")`, "nodes and volumes of this zone",
		filter("inZone", func(o metav1.Object, zone string) bool { return zoneOf(o) == zone }),
	},
	{
		`nodes.inGroup("general")`, "nodes of this node group",
		filter("inGroup", func(o metav1.Object, group string) bool { return o.GetLabels()[groupLabel] == group }),
	},
	{`pods.on(node)`, "pods bound to this node; a list of nodes may be given as well", on},
	{`events.about(pod)`, "events about this object; a list may be given as well", about},
	{
		`running(pod)`, "its containers run and it is not being deleted, as kubectl shows Running",
		predicate("running", func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil }),
	},
	{
		`pending(pod)`, "it is Pending and not being deleted",
		predicate("pending", func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodPending && p.DeletionTimestamp == nil }),
	},
	{
		`ready(object)`, "its condition Ready is True; pods and nodes have one",
		predicate("ready", func(o metav1.Object) bool { return conditionOf(o, "Ready").status == "True" }),
	},
	{
		`terminating(object)`, "its deletion has begun and it is still there, as kubectl shows Terminating",
		predicate("terminating", func(o metav1.Object) bool { return o.GetDeletionTimestamp() != nil }),
	},
	{
		`condition(object, "Ready")`, `the status of that condition: "True", "False", "Unknown", or "" if there is none`,
		text("condition", func(o metav1.Object, name string) string { return conditionOf(o, name).status }),
	},
	{
		`conditionReason(object, "Ready")`, "the reason given with that condition",
		text("conditionReason", func(o metav1.Object, name string) string { return conditionOf(o, name).reason }),
	},
	{
		`conditionMessage(object, "Ready")`, "the message given with that condition",
		text("conditionMessage", func(o metav1.Object, name string) string { return conditionOf(o, name).message }),
	},
	{
		`label(object, "app")`, `the value of that label, or ""`,
		text("label", func(o metav1.Object, key string) string { return o.GetLabels()[key] }),
	},
	{`zone(object)`, `a node's or volume's zone, or ""`, zoneFunction},
	{`tainted(node, "node.kubernetes.io/unreachable")`, "the node has a taint with this key", tainted},
}

var anyT = cel.TypeParamType("T")

// filter is a member function of lists that keeps some of the elements.
func filter(name string, keep func(metav1.Object, string) bool) func(*typeSystem) cel.EnvOption {
	return func(ts *typeSystem) cel.EnvOption {
		list := cel.ListType(anyT)
		return cel.Function(name, cel.MemberOverload("list_"+name, []*cel.Type{list, cel.StringType}, list,
			cel.BinaryBinding(func(l, argument ref.Val) ref.Val {
				return ts.selectFrom(l, func(v any) (bool, error) {
					o, ok := v.(metav1.Object)
					if !ok {
						return false, fmt.Errorf("%s() is for lists of Kubernetes objects", name)
					}
					return keep(o, string(argument.(types.String))), nil
				})
			})))
	}
}

// predicate is a function of one object that is true or false.
func predicate[O any](name string, holds func(O) bool) func(*typeSystem) cel.EnvOption {
	return func(*typeSystem) cel.EnvOption {
		return cel.Function(name, cel.Overload(name+"_object", []*cel.Type{parameter[O]()}, cel.BoolType,
			cel.UnaryBinding(func(v ref.Val) ref.Val {
				o, ok := v.Value().(O)
				if !ok {
					return types.NewErr("%s() is not for a %s", name, v.Type().TypeName())
				}
				return types.Bool(holds(o))
			})))
	}
}

// parameter is the CEL type of a Go argument; any Kubernetes object is a type parameter.
func parameter[O any]() *cel.Type {
	if _, pod := any(*new(O)).(*corev1.Pod); pod {
		return cel.ObjectType("core.v1.Pod")
	}
	return anyT
}

// text is a function of an object and a string that gives a string.
func text(name string, get func(metav1.Object, string) string) func(*typeSystem) cel.EnvOption {
	return func(*typeSystem) cel.EnvOption {
		return cel.Function(name, cel.Overload(name+"_object", []*cel.Type{anyT, cel.StringType}, cel.StringType,
			cel.BinaryBinding(func(v, argument ref.Val) ref.Val {
				o, ok := v.Value().(metav1.Object)
				if !ok {
					return types.NewErr("%s() is not for a %s", name, v.Type().TypeName())
				}
				return types.String(get(o, string(argument.(types.String))))
			})))
	}
}

func zoneFunction(*typeSystem) cel.EnvOption {
	return cel.Function("zone", cel.Overload("zone_object", []*cel.Type{anyT}, cel.StringType,
		cel.UnaryBinding(func(v ref.Val) ref.Val {
			o, ok := v.Value().(metav1.Object)
			if !ok {
				return types.NewErr("zone() is not for a %s", v.Type().TypeName())
			}
			return types.String(zoneOf(o))
		})))
}

func tainted(*typeSystem) cel.EnvOption {
	return cel.Function("tainted", cel.Overload("tainted_node", []*cel.Type{cel.ObjectType("core.v1.Node"), cel.StringType}, cel.BoolType,
		cel.BinaryBinding(func(v, key ref.Val) ref.Val {
			node := v.Value().(*corev1.Node)
			for _, t := range node.Spec.Taints {
				if t.Key == string(key.(types.String)) {
					return types.True
				}
			}
			return types.False
		})))
}

func on(ts *typeSystem) cel.EnvOption {
	pods, node := cel.ListType(cel.ObjectType("core.v1.Pod")), cel.ObjectType("core.v1.Node")
	bound := cel.BinaryBinding(func(l, where ref.Val) ref.Val {
		names := map[string]bool{}
		for _, n := range elements(where) {
			names[n.(*corev1.Node).Name] = true
		}
		return ts.selectFrom(l, func(v any) (bool, error) { return names[v.(*corev1.Pod).Spec.NodeName], nil })
	})
	return cel.Function("on",
		cel.MemberOverload("pods_on_node", []*cel.Type{pods, node}, pods, bound),
		cel.MemberOverload("pods_on_nodes", []*cel.Type{pods, cel.ListType(node)}, pods, bound))
}

func about(ts *typeSystem) cel.EnvOption {
	events := cel.ListType(cel.ObjectType("core.v1.Event"))
	return cel.Function("about", cel.MemberOverload("events_about", []*cel.Type{events, cel.DynType}, events,
		cel.BinaryBinding(func(l, subject ref.Val) ref.Val {
			subjects := elements(subject)
			return ts.selectFrom(l, func(v any) (bool, error) {
				for _, s := range subjects {
					if o, ok := s.(metav1.Object); ok && concerns(v.(*corev1.Event), o) {
						return true, nil
					}
				}
				return false, nil
			})
		})))
}

// selectFrom is the list of those elements that a test keeps.
func (ts *typeSystem) selectFrom(list ref.Val, keep func(any) (bool, error)) ref.Val {
	kept := []any{}
	for _, v := range elements(list) {
		ok, err := keep(v)
		if err != nil {
			return types.WrapErr(err)
		}
		if ok {
			kept = append(kept, v)
		}
	}
	return types.NewDynamicList(ts, kept)
}

// elements are a list's Go values, or the one value that is not a list.
func elements(v ref.Val) []any {
	list, ok := v.(traits.Lister)
	if !ok {
		return []any{v.Value()}
	}
	var values []any
	for it := list.Iterator(); it.HasNext() == types.True; {
		values = append(values, it.Next().Value())
	}
	return values
}

// checkSelectors refuses label selectors that cannot be parsed, where they are written out.
func checkSelectors(checked *cel.Ast) (err error) {
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "matching" || len(e.AsCall().Args()) != 1 {
			return
		}
		if s, ok := e.AsCall().Args()[0].AsLiteral().(types.String); ok {
			if _, wrong := labels.Parse(string(s)); wrong != nil {
				err = fmt.Errorf("matching(%q): not a label selector: %w", string(s), wrong)
			}
		}
	}))
	return err
}
