package finding

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// Comparison answers what makes one thing fail and another of its kind work.
type Comparison struct {
	Subject change.Ref `json:"subject"`
	// Unlike is the one that works.
	Unlike change.Ref `json:"unlike"`
	// Summary is the answer in one sentence.
	Summary message.Sentence `json:"summary"`
	// Causes are differences that were taken over from the one that works in simulation, whereupon the subject ran or took
	// pods. Each is enough by itself, unless Together.
	Causes   []Difference `json:"causes"`
	Together bool         `json:"together"`
	// Suspects matter and cannot be tried; the likeliest comes first.
	Suspects []Difference `json:"suspects"`
	// RuledOut were tried and changed nothing.
	RuledOut []Difference `json:"ruledOut"`
	// Others is how many further differences there are that have no bearing: labels, annotations and the like.
	Others int `json:"others"`
	// Observed is what other things of the cluster tell: whether the trouble goes with the thing or with its place.
	Observed []Link `json:"observed"`
	// Explanation says why the subject is as it is.
	Explanation Explanation `json:"explanation"`
	Unknown     []Gap       `json:"unknown"`
}

// Difference is one respect in which two things are unlike.
type Difference struct {
	Message message.Sentence `json:"message"`
	// Object has the value, and Other its counterpart.
	Object change.Ref `json:"object"`
	Other  change.Ref `json:"other"`
	// Field is the path within the object, as in kubectl explain.
	Field string `json:"field"`
	// Measure stands in place of Field where what is counted is none.
	Measure message.Sentence `json:"-"`
	// Value is the subject's, OtherValue that of the one that works; empty is none.
	Value      string `json:"value"`
	OtherValue string `json:"otherValue"`
}

// In is the difference in the Printer's language, all of its field in Field.
func (d Difference) In(say message.Printer) Difference {
	if !d.Measure.IsZero() {
		d.Field, d.Measure = say.Say(d.Measure), message.Sentence{}
	}
	return d
}

// What is the field, or what is counted in place of one, as a sentence's value.
func (d Difference) What() any {
	if !d.Measure.IsZero() {
		return d.Measure
	}
	return d.Field
}
