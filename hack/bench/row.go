package main

import (
	"fmt"
	"strings"
)

// A benchmark says by the units of its figures what they are: "target-ns/op" is what its ns/op should be, and any other
// word in the place of "target" names another way to do the same, measured in the same run.
const target = "target"

// rows are the result's figures, each with its target and its alternative.
func (r result) rows() [][]string {
	var rows [][]string
	for _, f := range r.figures {
		if word, unit := f.about(r.figures); word == target {
			rows = append(rows, r.row(r.of(unit)))
		}
	}
	if rows == nil {
		rows = append(rows, r.row(r.figures[0]))
	}
	return rows
}

// about splits the unit of a figure that is about another one.
func (f figure) about(all []figure) (word, unit string) {
	word, unit, _ = strings.Cut(f.unit, "-")
	for _, other := range all {
		if other.unit == unit {
			return word, unit
		}
	}
	return "", ""
}

func (r result) of(unit string) figure {
	for _, f := range r.figures {
		if f.unit == unit {
			return f
		}
	}
	return figure{}
}

// row is a figure, its target, its alternative, how many times better than that it is, and what else was measured.
func (r result) row(main figure) []string {
	var aim, other, ratio string
	var besides []string
	for _, f := range r.figures {
		switch word, unit := f.about(r.figures); {
		case f == main || word != "" && unit != main.unit:
		case word == target:
			aim = main.against(f.value)
		case word != "":
			other = figure{f.value, main.unit}.String() + " " + word
			ratio = fmt.Sprintf("%.3g times", main.betterThan(f.value))
		default:
			besides = append(besides, f.String())
		}
	}
	return []string{main.String(), aim, other, ratio, strings.Join(besides, ", ")}
}

// moreIsBetter says so of speeds and ratios; all else is a cost.
func (f figure) moreIsBetter() bool { return strings.HasSuffix(f.unit, "/s") || f.unit == "times" }

func (f figure) betterThan(other float64) float64 {
	if f.moreIsBetter() {
		return f.value / other
	}
	return other / f.value
}

// against says what the target is, and whether the figure meets it.
func (f figure) against(aim float64) string {
	sign, verdict := "≤ ", "met"
	if f.moreIsBetter() {
		sign = "≥ "
	}
	if f.betterThan(aim) < 1 {
		verdict = "MISSED"
	}
	return sign + figure{aim, f.unit}.String() + " " + verdict
}
