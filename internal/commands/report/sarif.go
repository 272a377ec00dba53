package report

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Sarif is the part of SARIF 2.1.0 that mcpctl writes (OASIS, errata 01).
type Sarif struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool                `json:"tool"`
	Bases      map[string]sarifArtifact `json:"originalUriBaseIds,omitempty"`
	Results    []sarifResult            `json:"results"`
	ColumnKind string                   `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"semanticVersion,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Short   sarifMessage `json:"shortDescription"`
	Help    sarifMessage `json:"help"`
	Default sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn"`
}

// SarifRule is one row of a table of rules. Severity is "error", "warning" or "note".
type SarifRule struct{ ID, Name, Severity, Why, Mend string }

// SarifFinding is one result. Path is slash separated and relative to the workspace, or
// absolute. Key tells it from the others of its rule, from run to run: its line may
// change. Line is 0 for a file as a whole.
type SarifFinding struct {
	Rule, Severity, Path, Key, Text string
	Line, Column                    int
}

// sourceRoot names the directory that paths are relative to.
const sourceRoot = "%SRCROOT%"

// semantic is a version that semanticVersion takes.
var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// NewSarif gives findings the shape of SARIF. version is that of the program; one that is
// not semantic is left out.
func NewSarif(workspace, version string, rules []SarifRule, findings []SarifFinding) Sarif {
	if version = strings.TrimPrefix(version, "v"); !semantic.MatchString(version) {
		version = ""
	}
	driver := sarifDriver{Name: "mcpctl", Version: version, Rules: []sarifRule{}}
	index := map[string]int{}
	for i, r := range rules {
		index[r.ID] = i
		driver.Rules = append(driver.Rules, sarifRule{ID: r.ID, Name: r.Name, Short: sarifMessage{r.Why}, Help: sarifMessage{r.Mend}, Default: sarifDefault{r.Severity}})
	}
	run := sarifRun{Tool: sarifTool{driver}, Results: []sarifResult{}, ColumnKind: "unicodeCodePoints",
		Bases: map[string]sarifArtifact{sourceRoot: {URI: fileURI(workspace + "/")}}}
	seen := map[string]int{}
	for _, f := range findings {
		key := f.Rule + "\x00" + f.Path + "\x00" + f.Key
		seen[key]++
		result := sarifResult{RuleID: f.Rule, RuleIndex: index[f.Rule], Level: f.Severity, Message: sarifMessage{redact.Visible(f.Text)},
			Fingerprints: map[string]string{"mcpctl/v1": shortSum(key + "\x00" + strconv.Itoa(seen[key]))}}
		at := sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: f.Path}).String(), Base: sourceRoot}}
		if filepath.IsAbs(f.Path) {
			at.Artifact = sarifArtifact{URI: fileURI(f.Path)}
		}
		if f.Line > 0 {
			at.Region = &sarifRegion{f.Line, max(1, f.Column)}
		}
		result.Locations = []sarifLocation{{at}}
		run.Results = append(run.Results, result)
	}
	return Sarif{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// shortSum stands for a finding from run to run.
func shortSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
