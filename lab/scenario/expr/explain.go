package expr

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// comparisons are operators whose operands' values say why they do not hold.
var comparisons = []string{
	operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.In,
}

// Explain says why a condition is not true in a world: which of the parts that && joins do not hold, and what is compared
// in them. It is "" if the condition is true.
func (p *Program) Explain(w World) string {
	tracked, err := p.env.Program(p.checked, cel.EvalOptions(cel.OptTrackState, cel.OptExhaustiveEval))
	if err != nil {
		return ""
	}
	value, details, err := tracked.Eval(newActivation(w, p.given))
	if value == types.True {
		return ""
	}
	if details == nil {
		return fmt.Sprint(err)
	}
	e := explanation{info: p.checked.NativeRep().SourceInfo(), state: details.State()}
	e.part(p.checked.NativeRep().Expr())
	return strings.Join(e.parts, "; ")
}

type explanation struct {
	info  *ast.SourceInfo
	state interpreter.EvalState
	parts []string
}

func (e *explanation) part(x ast.Expr) {
	if x.Kind() == ast.CallKind && x.AsCall().FunctionName() == operators.LogicalAnd {
		for _, conjunct := range x.AsCall().Args() {
			e.part(conjunct)
		}
		return
	}
	value, known := e.state.Value(x.ID())
	if !known || value == types.True {
		return
	}
	if compared := e.compared(x); compared != "" {
		e.parts = append(e.parts, compared)
		return
	}
	e.parts = append(e.parts, e.source(x)+" is "+show(value))
}

// compared shows the operands of a comparison that are not written out anyway.
func (e *explanation) compared(x ast.Expr) string {
	if x.Kind() != ast.CallKind || len(x.AsCall().Args()) != 2 {
		return ""
	}
	var shown []string
	for _, operator := range comparisons {
		if x.AsCall().FunctionName() != operator {
			continue
		}
		for _, operand := range x.AsCall().Args() {
			if value, known := e.state.Value(operand.ID()); known && operand.Kind() != ast.LiteralKind && operand.Kind() != ast.ListKind {
				shown = append(shown, e.source(operand)+" is "+show(value))
			}
		}
	}
	return strings.Join(shown, ", ")
}

func (e *explanation) source(x ast.Expr) string {
	text, err := cel.ExprToString(x, e.info)
	if err != nil {
		return "the expression"
	}
	return strings.Join(strings.Fields(text), " ")
}

// show is a value in a few words.
func show(v ref.Val) string {
	switch v := v.(type) {
	case *types.Err:
		return "an error: " + v.String()
	case types.String:
		return fmt.Sprintf("%q", string(v))
	case traits.Lister:
		if n := v.Size().(types.Int); n > 5 {
			return fmt.Sprintf("a list of %d", n)
		}
		var items []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, show(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case untyped:
		return v.object.GetKind() + " " + v.object.GetName()
	case object:
		if o, ok := v.value.(metav1.Object); ok {
			return KindOf(o) + " " + o.GetName()
		}
		return "a " + structName(v.of)
	}
	return fmt.Sprint(v.Value())
}
