package finding

// EachRemedy calls do with every remedy of the answer, which it may change.
func (e *Explanation) EachRemedy(do func(*Remedy)) {
	each(e.Remedies, do)
	ofFindings(e.Findings, do)
}

// EachRemedy calls do with every remedy of the answer, which it may change.
func (o *Overview) EachRemedy(do func(*Remedy)) {
	for i := range o.Explanations {
		o.Explanations[i].EachRemedy(do)
	}
}

// EachRemedy calls do with every remedy of the answer, which it may change.
func (a *Audit) EachRemedy(do func(*Remedy)) { ofFindings(a.Findings, do) }

// EachRemedy calls do with every remedy of the answer, which it may change.
func (f *Forecast) EachRemedy(do func(*Remedy)) { ofFindings(f.Findings, do) }

func ofFindings(findings []Finding, do func(*Remedy)) {
	for i := range findings {
		each(findings[i].Remedies, do)
	}
}

func each(remedies []Remedy, do func(*Remedy)) {
	for i := range remedies {
		do(&remedies[i])
	}
}
