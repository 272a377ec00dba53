package report

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// SARIFRule is a kind of finding. Its ID never changes.
type SARIFRule struct {
	ID   string
	Text string // one sentence
}

// SARIFResult is one finding, in a file below the workspace.
type SARIFResult struct {
	Rule         string
	Level        string // "error", "warning" or "note"
	Text         string
	URI          string // relative to the workspace, slash separated
	Line, Column int    // from 1 on; 0 for the file as a whole
}

// The parts of a SARIF log that code-scanning services read (OASIS SARIF 2.1.0).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Columns string        `json:"columnKind"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Short sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
)

// SARIF writes findings as a SARIF 2.1.0 log. version is mcpctl's own; every rule of a
// result is one of rules.
func SARIF(w *bytes.Buffer, version string, rules []SARIFRule, results []SARIFResult) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "mcpctl", Version: version, Rules: []sarifRule{}}}, Columns: "unicodeCodePoints", Results: []sarifResult{}}
	index := map[string]int{}
	for i, r := range rules {
		index[r.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.ID, sarifMessage{r.Text}})
	}
	for _, r := range results {
		at := sarifPhysical{Artifact: sarifArtifact{r.URI, "%SRCROOT%"}}
		if r.Line > 0 {
			at.Region = &sarifRegion{r.Line, r.Column}
		}
		run.Results = append(run.Results, sarifResult{RuleID: r.Rule, RuleIndex: index[r.Rule], Level: r.Level,
			Message: sarifMessage{redact.Visible(r.Text)}, Locations: []sarifLocation{{at}}})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
