package why

import (
	"context"

	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/diagnosis/compare"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// mostSuspects bounds how many suspects the text lists.
const mostSuspects = 10

// compare answers what makes the subject unlike the thing that works.
func (o *Options) compare(ctx context.Context, in input.Input) (finding.Severity, error) {
	subject, err := o.find(in, o.subject)
	if err != nil {
		return "", err
	}
	good, err := o.find(in, o.good)
	if err != nil {
		return "", err
	}
	found := compare.Compare(ctx, query.Query{World: in.World, Judge: in.Judge, Subject: &subject}, good)
	if !o.Format.ForPeople() {
		o.AimAll(found.Explanation.EachRemedy)
		return worst(found.Explanation), o.Format.WriteData(o.Out, in.Say, found)
	}
	return worst(found.Explanation), writeComparison(writer{o.page(), in.Say, in.World.Taken()}, found)
}

func writeComparison(w writer, found finding.Comparison) error {
	w.Paragraph("", w.say.Say(found.Summary), output.Strong)
	cause := sentence.HeadDiffers()
	if found.Together {
		cause = sentence.HeadTogether()
	}
	w.differences(cause, w.say.Say(sentence.LabelVerified()), found.Causes)
	if !found.Explanation.Summary.IsZero() {
		w.head(sentence.HeadCauses(), found.Explanation.State)
		w.Paragraph("  ", w.say.Say(found.Explanation.Summary), output.Plain)
	}
	w.differences(sentence.HeadSuspects(), w.say.Say(sentence.LabelUnverified()), found.Suspects)
	w.differences(sentence.HeadTried(), "", found.RuledOut)
	if len(found.Observed) > 0 {
		w.head(sentence.HeadObserved(), "")
	}
	for _, link := range found.Observed {
		w.link("- ", link)
	}
	if found.Others > 0 {
		w.Blank()
		w.Paragraph("", w.say.Say(sentence.UnlikeOthers(found.Others)), output.Faint)
	}
	w.gaps(sentence.HeadUnknown(), found.Unknown)
	return w.written()
}

func (w writer) differences(head message.Sentence, note string, all []finding.Difference) {
	if len(all) == 0 {
		return
	}
	w.head(head, note)
	shown := all[:min(len(all), mostSuspects)]
	if w.Wide {
		shown = all
	}
	for _, d := range shown {
		w.Paragraph("  - ", w.say.Say(d.Message), output.Plain)
	}
	if more := len(all) - len(shown); more > 0 {
		w.Paragraph("  - ", w.say.Say(sentence.UnlikeMoreSuspects(more)), output.Faint)
	}
}
