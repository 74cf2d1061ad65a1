package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// Sizes of the picture, in pixels.
const (
	width     = 960
	margin    = 24
	labelEnd  = 150
	laneStart = labelEnd + 10
	laneWidth = 450
	laneHigh  = 16
	storyHigh = 92
	headHigh  = 64
)

const style = `<style>
text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px;fill:#24292f}
.title{font-weight:600;font-size:14px}
.small{font-size:11px;fill:#57606a}
.head{font-weight:600;font-size:17px}
</style>`

// Colours: all is well, something is not, something failed for good.
const (
	good   = "#9fd8ac"
	bad    = "#e5534b"
	failed = "#8b1a1a"
)

// picture draws, for each story, when pods or nodes were not healthy, with Kubernetes alone and with naosu on the same axis of time.
func picture(records []record) string {
	var b strings.Builder
	height := headHigh + storyHigh*len(stories) + 40
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Five incidents with Kubernetes alone and with naosu">%s`,
		width, height, width, height, style)
	fmt.Fprintf(&b, "\n"+`<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" fill="#ffffff" stroke="#d0d7de"/>`, width-1, height-1)
	text(&b, margin, 32, "head", "", "Five incidents, played on a real control plane")
	y := headHigh
	for i, s := range stories {
		drawStory(&b, y, i+1, s, find(records, s.scenario))
		y += storyHigh
	}
	drawLegend(&b, y+12)
	b.WriteString("\n</svg>\n")
	return b.String()
}

func drawStory(b *strings.Builder, y, number int, s story, r record) {
	text(b, margin, y, "title", "", fmt.Sprintf("%d  %s", number, s.title[english]))
	length := max(r.Alone.LengthSeconds, r.Naosu.LengthSeconds, 1)
	most := max(largest(s.measure.outages(r.Alone)), largest(s.measure.outages(r.Naosu)), 1)
	for lane, pass := range []struct {
		name   string
		impact play.Impact
	}{{"Kubernetes alone", r.Alone}, {"with naosu", r.Naosu}} {
		top := y + 14 + lane*(laneHigh+8)
		text(b, labelEnd, top+laneHigh-4, "", "end", pass.name)
		drawLane(b, top, length, most, s.measure, pass.impact)
		text(b, laneStart+laneWidth+14, top+laneHigh-4, "", "", s.measure.text(pass.impact, english))
	}
	axis := y + 14 + 2*(laneHigh+8) + 6
	text(b, laneStart, axis, "small", "", "0")
	text(b, laneStart+laneWidth, axis, "small", "end", short(length))
}

// drawLane draws a pass: a line as long as the pass, with what was not healthy as high as many of the most pods.
func drawLane(b *strings.Builder, top int, length float64, most int, m measure, i play.Impact) {
	at := func(seconds float64) float64 { return laneStart + seconds/length*laneWidth }
	fmt.Fprintf(b, "\n"+`<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, laneStart, top, i.LengthSeconds/length*laneWidth, laneHigh, good)
	for _, o := range m.outages(i) {
		high := float64(laneHigh) * (0.4 + 0.6*float64(max(o.Pods, 1))/float64(most))
		fmt.Fprintf(b, "\n"+`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, at(o.FromSeconds), float64(top+laneHigh)-high, max(1, at(o.ToSeconds)-at(o.FromSeconds)), high, bad)
	}
	if m != jobs {
		return
	}
	for _, seconds := range i.PreemptedAt {
		fmt.Fprintf(b, "\n"+`<rect x="%.1f" y="%d" width="2" height="%d" fill="%s"/>`, at(seconds), top, laneHigh, bad)
	}
	for _, seconds := range i.FailedJobsAt {
		fmt.Fprintf(b, "\n"+`<circle cx="%.1f" cy="%d" r="5" fill="%s"/>`, at(seconds), top+laneHigh/2, failed)
	}
}

func drawLegend(b *strings.Builder, y int) {
	x := margin
	for _, entry := range []struct{ color, name string }{{good, "healthy"}, {bad, "pods not Ready, node unhealthy, pod preempted"}, {failed, "Job failed"}} {
		fmt.Fprintf(b, "\n"+`<rect x="%d" y="%d" width="12" height="12" rx="2" fill="%s"/>`, x, y-10, entry.color)
		text(b, x+18, y, "small", "", entry.name)
		x += 40 + 6*len(entry.name)
	}
	text(b, x, y, "small", "", "A bar ends when the incident is over.")
}

func text(b *strings.Builder, x, y int, class, anchor, words string) {
	attributes := ""
	if class != "" {
		attributes += fmt.Sprintf(` class="%s"`, class)
	}
	if anchor != "" {
		attributes += fmt.Sprintf(` text-anchor="%s"`, anchor)
	}
	fmt.Fprintf(b, "\n"+`<text x="%d" y="%d"%s>%s</text>`, x, y, attributes, html.EscapeString(words))
}

// outages are those that a measure counts.
func (m measure) outages(i play.Impact) []play.Outage {
	var all []play.Outage
	switch m {
	case pods:
		for _, w := range i.Workloads {
			all = append(all, w.Outages...)
		}
	case nodes:
		for _, n := range i.Nodes {
			all = append(all, n.Outages...)
		}
	case jobs:
	}
	return all
}

// largest is the most pods of an outage.
func largest(all []play.Outage) int {
	most := 0
	for _, o := range all {
		most = max(most, o.Pods)
	}
	return most
}
