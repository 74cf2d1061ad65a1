package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/codes"
)

// SARIF is the Static Analysis Results Interchange Format, which code hosts show.
//
// Sources: OASIS, SARIF 2.1.0; GitHub's "SARIF support for code scanning", for what it requires beyond that.
const SARIF output.Format = "sarif"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	URI   string      `json:"informationUri"`
	Rules []sarifRule `json:"rules"`
}

// sarifRule has what GitHub requires of one: both descriptions and a help text.
type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
	Full  sarifText `json:"fullDescription"`
	Help  sarifHelp `json:"help"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
	// Fingerprints let a code host know a result again.
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations"`
}

// sarifPhysical is a file as far as code hosts are concerned, which show nothing without one: here a thing of the cluster.
type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region sarifRegion `json:"region"`
}

// sarifRegion is where in the file; the whole thing is meant, but a code host asks for a place.
type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

var sarifLevels = map[finding.Severity]string{finding.Critical: "error", finding.Warning: "warning", finding.Info: "note"}

func sarif(say message.Printer, a finding.Audit) sarifLog {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "naosu", URI: "https://github.com/naosu-dev/naosu"}
	for _, code := range finding.Codes {
		title := say.Say(message.Label("Title" + string(code)))
		entry := codes.Entry(say.Language(), code)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: string(code), Short: sarifText{title}, Full: sarifText{title}, Help: sarifHelp{Text: entry, Markdown: entry},
		})
	}
	again := map[string]int{}
	for _, f := range a.Findings {
		result := sarifResult{RuleID: string(f.Code), Level: sarifLevels[f.Severity], Message: sarifText{sarifMessage(say, f)}}
		location := sarifLocation{Logical: []sarifLogical{}}
		location.Physical.Region = sarifRegion{1, 1, 1, 1}
		location.Physical.Artifact.URI = "cluster"
		for _, ref := range f.Subjects {
			location.Logical = append(location.Logical, sarifLogical{Name: fullName(ref), Kind: ref.Kind})
		}
		if len(f.Subjects) > 0 {
			location.Physical.Artifact.URI = (&url.URL{Path: fullName(f.Subjects[0])}).EscapedPath()
		}
		mark := fingerprint(f)
		if again[mark]++; again[mark] > 1 {
			mark += ":" + strconv.Itoa(again[mark]) // Of one thing several are told, such as chains to one repairer.
		}
		result.Fingerprints = map[string]string{"primaryLocationLineHash": mark}
		result.Locations = []sarifLocation{location}
		run.Results = append(run.Results, result)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// fingerprint is the same for a finding that is found again: of one code, about the same thing. GitHub looks at
// primaryLocationLineHash only.
func fingerprint(f finding.Finding) string {
	text := string(f.Code)
	if len(f.Subjects) > 0 {
		text += " " + fullName(f.Subjects[0])
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// sarifMessage is the finding and its first remedy.
func sarifMessage(say message.Printer, f finding.Finding) string {
	text := say.Say(f.Message)
	if len(f.Remedies) > 0 {
		text += "\n" + strings.TrimSpace(say.Say(f.Remedies[0].Message)+"\n"+f.Remedies[0].Command)
	}
	return text
}

func fullName(ref change.Ref) string {
	if ref.Namespace == "" {
		return ref.String()
	}
	return ref.Namespace + "/" + ref.String()
}
