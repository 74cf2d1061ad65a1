package expr

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/cel/library"
)

// nodesByName is the variable behind the macro node("name").
const nodesByName = "@nodes"

// Env compiles expressions in which the given names of nodes may be used.
type Env struct {
	env *cel.Env
	ts  *typeSystem
}

// NewEnv returns an environment; nodes are the names that node("…") takes.
func NewEnv(nodes []string) (*Env, error) {
	base, err := language()
	if err != nil {
		return nil, fmt.Errorf("preparing the expression language: %w", err)
	}
	env, err := base.env.Extend(cel.Macros(nodeMacro(nodes)))
	if err != nil {
		return nil, fmt.Errorf("preparing the expression language: %w", err)
	}
	return &Env{env: env, ts: base.ts}, nil
}

// language is all but the names of nodes, which differ from scenario to scenario.
var language = sync.OnceValues(func() (*Env, error) {
	base, err := cel.NewEnv(
		cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true), cel.HomogeneousAggregateLiterals(),
		cel.EnableMacroCallTracking(), // so that explanations can show what was written
		ext.Strings(), ext.Lists(), ext.Sets(), ext.Math(),
		library.Quantity(), library.Regex(),
	)
	if err != nil {
		return nil, err
	}
	ts := newTypeSystem(base)
	options := []cel.EnvOption{
		cel.CustomTypeProvider(ts), cel.CustomTypeAdapter(ts),
		cel.Variable(nodesByName, cel.MapType(cel.StringType, celType(reflect.TypeFor[corev1.Node]()))),
	}
	for _, k := range Kinds {
		options = append(options, cel.Variable(k.Variable, cel.ListType(celType(k.reflectType()))))
	}
	for _, f := range Functions {
		options = append(options, f.option(ts))
	}
	env, err := base.Extend(options...)
	return &Env{env: env, ts: ts}, err
})

// nodeMacro turns node("name") into a look-up, and refuses names that the scenario does not give.
func nodeMacro(names []string) cel.Macro {
	known := map[string]bool{}
	for _, n := range names {
		known[n] = true
	}
	return cel.GlobalMacro("node", 1, func(f cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
		name, ok := args[0].AsLiteral().(types.String)
		if args[0].Kind() != ast.LiteralKind || !ok {
			return nil, f.NewError(args[0].ID(), `node() takes a name in quotes, such as node("worker-1")`)
		}
		if !known[string(name)] {
			return nil, f.NewError(args[0].ID(), fmt.Sprintf("node %q is not named under cluster.nodes; %s", name, oneOf(names)))
		}
		return f.NewCall(operators.Index, f.NewIdent(nodesByName), args[0]), nil
	})
}

func oneOf(names []string) string {
	if len(names) == 0 {
		return "name it there"
	}
	return "it can be one of: " + strings.Join(names, ", ")
}

// Program is a compiled expression.
type Program struct {
	source  string
	env     *cel.Env
	checked *cel.Ast
	program cel.Program
	given   map[string]any
}

// Given is the program with values for variables beyond those of a World.
func (p *Program) Given(values map[string]any) *Program {
	with := *p
	with.given = values
	return &with
}

// String is the expression as it was written.
func (p *Program) String() string { return p.source }

// Condition compiles an expression that is true or false.
func (e *Env) Condition(source string) (*Program, error) {
	return e.compile(source, func(t *cel.Type) error {
		if !t.IsExactType(cel.BoolType) {
			return fmt.Errorf("the expression gives a value of type %s, but must be true or false", t)
		}
		return nil
	})
}

// Objects compiles an expression that gives a list of the cluster's objects, such as `pods.filter(…)`.
func (e *Env) Objects(source string) (*Program, error) {
	return e.compile(source, func(t *cel.Type) error {
		for _, k := range Kinds {
			if k.ofCluster() && t.IsExactType(cel.ListType(celType(k.reflectType()))) {
				return nil
			}
		}
		return fmt.Errorf("the expression gives a value of type %s, but must give a list of objects, such as pods.filter(p, …)", t)
	})
}

// Output compiles a condition on what a command has printed: "result" is its JSON, "exitCode" what it ended with. Both are
// given by Program.Given.
func (e *Env) Output(source string) (*Program, error) {
	env, err := e.env.Extend(cel.Variable("result", cel.DynType), cel.Variable("exitCode", cel.IntType))
	if err != nil {
		return nil, fmt.Errorf("preparing the expression language: %w", err)
	}
	return (&Env{env: env, ts: e.ts}).Condition(source)
}

func (e *Env) compile(source string, check func(*cel.Type) error) (*Program, error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("the expression is empty")
	}
	checked, issues := e.env.Compile(source)
	if issues.Err() != nil {
		return nil, problems(issues)
	}
	if err := check(checked.OutputType()); err != nil {
		return nil, err
	}
	if err := checkSelectors(checked); err != nil {
		return nil, err
	}
	program, err := e.env.Program(checked, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, fmt.Errorf("preparing the expression: %w", err)
	}
	return &Program{source: source, env: e.env, checked: checked, program: program}, nil
}

// problems says each issue in one line, with its place in the expression.
func problems(issues *cel.Issues) error {
	var lines []string
	for _, e := range issues.Errors() {
		message, _, _ := strings.Cut(e.Message, "\n")
		message, _, _ = strings.Cut(message, " expecting {") // a list of all tokens there are
		place := fmt.Sprintf("at character %d", e.Location.Column()+1)
		if e.Location.Line() > 1 {
			place = fmt.Sprintf("at line %d, character %d of the expression", e.Location.Line(), e.Location.Column()+1)
		}
		lines = append(lines, message+" ("+place+")")
		if strings.HasPrefix(message, "Syntax error") {
			break // the others follow from it
		}
	}
	return errors.New(strings.Join(lines, "; "))
}

// Bool evaluates a condition. An error, such as an index beyond a list's end, means that it cannot be said to be true.
func (p *Program) Bool(w World) (bool, error) {
	value, _, err := p.program.Eval(newActivation(w, p.given))
	if err != nil {
		return false, fmt.Errorf("evaluating: %w", err)
	}
	return value == types.True, nil
}

// List evaluates an expression that gives objects.
func (p *Program) List(w World) ([]metav1.Object, error) {
	value, _, err := p.program.Eval(newActivation(w, p.given))
	if err != nil {
		return nil, fmt.Errorf("evaluating: %w", err)
	}
	var objects []metav1.Object
	for _, v := range elements(value) {
		if o, ok := v.(metav1.Object); ok {
			objects = append(objects, o)
		}
	}
	return objects, nil
}

// activation is one evaluation of an expression. It reads only those variables of the world that the expression uses, and
// once for each: the world goes on, and what an expression compares must be of one moment.
type activation struct {
	world World
	given map[string]any
	lists map[string][]any
}

func newActivation(w World, given map[string]any) activation {
	return activation{world: w, given: given, lists: map[string][]any{}}
}

// ResolveName is part of cel.Activation.
func (a activation) ResolveName(name string) (any, bool) {
	if name == nodesByName {
		return a.world.NamedNodes(a.list("nodes")), true
	}
	for _, k := range Kinds {
		if k.Variable == name {
			return a.list(name), true
		}
	}
	value, given := a.given[name]
	return value, given
}

func (a activation) list(variable string) []any {
	list, known := a.lists[variable]
	if !known {
		list = a.world.List(variable)
		a.lists[variable] = list
	}
	return list
}

// Parent is part of cel.Activation.
func (a activation) Parent() cel.Activation { return nil }
