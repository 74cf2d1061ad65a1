package addresses

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// writer writes the answer for people: the subnets, nodes without addresses, the findings, and what is not known.
type writer struct {
	*output.Page
	say   message.Printer
	taken time.Time
}

func (w writer) write(a answer) error {
	held := int64(0)
	for _, l := range a.Leaked {
		held += l.Held
	}
	if len(a.PodRanges) > 0 {
		w.podRanges(a.PodRanges)
		w.gaps(sentence.PodRangesHeadExhausted(), a.ExhaustedRanges)
	} else {
		w.Paragraph("", w.say.Say(sentence.AddressesSummary(len(a.Subnets), len(a.Nodes), len(a.Leaked), int(held))), output.Strong)
	}
	w.subnets(a.Subnets)
	w.history(a.History)
	w.eniConfigs(a.ENIConfigs)
	w.nodes(a.Nodes)
	w.leaks(a.Leaked)
	w.findings(a.Findings)
	w.gaps(sentence.HeadUnknown(), a.Unknown)
	w.gaps(sentence.HeadNotModelled(), a.NotJudged)
	if err := w.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

func (w writer) heads(says ...message.Sentence) []string {
	heads := make([]string, len(says))
	for i, s := range says {
		heads[i] = w.say.Say(s)
	}
	return heads
}

// subnets writes the table of subnets. Only a Wide page has room for all columns beside the IDs.
func (w writer) subnets(all []subnet) {
	var rows [][]string
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, s := range all {
		size, atMaximum := number(s.Size), w.say.Say(sentence.AddressesUnknownCell())
		if s.Size == 0 {
			size = w.say.Say(sentence.AddressesUnknownCell())
		}
		if s.FreeAtMaximum != nil {
			atMaximum = number(*s.FreeAtMaximum)
		}
		row := []string{s.ID, s.Zone, size, number(s.Free), number(s.Pods), number(s.Spare), number(s.Leaked), atMaximum}
		if w.Wide {
			row = slices.Insert(row, 7, number(s.Primary+s.Other), number(s.Reserved))
			row = slices.Insert(row, 2, s.CIDR)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return
	}
	w.Blank()
	heads := w.heads(sentence.AddressesHeadSubnet(), sentence.AddressesHeadZone(), sentence.AddressesHeadSize(), sentence.AddressesHeadFree(),
		sentence.AddressesHeadPods(), sentence.AddressesHeadWarm(), sentence.AddressesHeadLeaked(), sentence.AddressesHeadAtMax())
	if w.Wide {
		heads = slices.Insert(heads, 7, w.heads(sentence.AddressesHeadOther(), sentence.AddressesHeadReserved())...)
		heads = slices.Insert(heads, 2, "CIDR")
	}
	w.Table("", heads, rows)
}

// podRanges writes what the nodes of each group have for their pods.
func (w writer) podRanges(all []addresses.PodRange) {
	nodes := 0
	var rows [][]string
	for _, r := range all {
		nodes += r.Nodes
		rows = append(rows, []string{
			r.Group, strconv.Itoa(r.Nodes), "/" + strconv.Itoa(r.PrefixLength), strconv.FormatInt(r.Addresses, 10), strconv.Itoa(r.MaxPods), strconv.Itoa(r.MostPods),
		})
	}
	w.Paragraph("", w.say.Say(sentence.PodRangesSummary(nodes)), output.Strong)
	w.Blank()
	w.Table("", w.heads(sentence.PodRangesHeadGroup(), sentence.AddressesHeadAllNodes(), sentence.PodRangesHeadRange(), sentence.AddressesHeadHeld(),
		sentence.PodRangesHeadMaxPods(), sentence.PodRangesHeadMostPods()), rows)
}

// nodes writes those without an address for another pod; a Wide page has all.
func (w writer) nodes(all []node) {
	var rows [][]string
	for _, n := range all {
		if n.full || w.Wide {
			row := []string{n.Name, n.Type, outOf(n.Interfaces, n.MaxInterfaces), outOf(n.Pods, n.Addresses), outOf(n.Addresses, n.MaxAddresses)}
			if w.Wide {
				row = append(row, n.Subnet)
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return
	}
	head, heads := sentence.AddressesHeadNodes(), w.heads(sentence.PlanHeadNode(), sentence.AddressesHeadType(), sentence.AddressesHeadInterfaces(),
		sentence.AddressesHeadPods(), sentence.AddressesHeadHeld())
	if w.Wide {
		head, heads = sentence.AddressesHeadAllNodes(), append(heads, w.say.Say(sentence.AddressesHeadSubnet()))
	}
	w.Blank()
	w.Paragraph("", w.say.Say(head), output.Heading)
	w.Table("", heads, rows)
}

// eniConfigs writes in which subnets nodes have their pods with custom networking.
func (w writer) eniConfigs(all []eniConfig) {
	var rows [][]string
	for _, e := range all {
		row := []string{e.Name, e.Subnet, e.Zone, w.say.Say(sentence.AddressesUnknownCell()), strconv.Itoa(e.Nodes)}
		if e.Subnet == "" {
			row[1], row[3] = w.say.Say(sentence.AddressesMissing()), ""
		}
		if e.Free != nil {
			row[3] = strconv.FormatInt(*e.Free, 10)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return
	}
	w.Blank()
	w.Paragraph("", w.say.Say(sentence.AddressesHeadENIConfigs()), output.Heading)
	w.Table("", w.heads(sentence.AddressesHeadENIConfig(), sentence.AddressesHeadSubnet(), sentence.AddressesHeadZone(), sentence.AddressesHeadFree(), sentence.AddressesHeadUsers()), rows)
}

// outOf is a number and its bound; a bound of zero is not known.
func outOf(n, bound int) string {
	if bound == 0 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(n) + "/" + strconv.Itoa(bound)
}

// leaks writes the leaked interfaces on a Wide page.
func (w writer) leaks(all []leak) {
	if len(all) == 0 || !w.Wide {
		return
	}
	var rows [][]string
	for _, l := range all {
		tagged, age := sentence.AddressesNoTag(), w.say.Say(sentence.AddressesUnknownCell())
		if l.Tagged {
			tagged = sentence.AddressesYes()
		}
		if l.Created != nil {
			age = duration.HumanDuration(max(0, w.taken.Sub(*l.Created)))
		}
		rows = append(rows, []string{l.ID, l.Subnet, strconv.FormatInt(l.Held, 10), age, w.say.Say(tagged), strings.TrimPrefix(l.Description, cloud.VPCCNIDescription), w.say.Say(message.Label("Reclaim" + string(l.Reclaim)))})
	}
	w.Blank()
	w.Paragraph("", w.say.Say(sentence.AddressesHeadLeaks()), output.Heading)
	w.Table("", append([]string{"ID"}, w.heads(sentence.AddressesHeadSubnet(), sentence.AddressesHeadHeld(), sentence.AddressesHeadCreated(), sentence.AddressesHeadMine(), sentence.AddressesHeadOwner(), sentence.AddressesHeadReclaim())...), rows)
}

func (w writer) findings(all []finding.Finding) {
	severity := finding.Severity("")
	for _, f := range all {
		if f.Severity != severity {
			severity = f.Severity
			w.Blank()
			w.Paragraph("", strings.ToUpper(w.say.Say(message.Label("Severity"+string(severity)))), output.OfSeverity(severity))
		}
		w.Finding(w.say, f, 0)
	}
}

func (w writer) gaps(head message.Sentence, all []finding.Gap) {
	if len(all) == 0 {
		return
	}
	w.Blank()
	w.Paragraph("", strings.ToUpper(w.say.Say(head)), output.Heading)
	w.Gaps(w.say, all)
}
