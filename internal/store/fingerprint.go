package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Fingerprint is "sha256:" and 64 lower-case hex digits over one definition, or
// over a whole file's bytes (then called its revision; design §1, §5.1).
type Fingerprint string

// ParseFingerprint accepts exactly the full form; nothing shortened is ever
// taken for an approval.
func ParseFingerprint(s string) (Fingerprint, bool) {
	hexa, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(hexa) != 64 || strings.Trim(hexa, "0123456789abcdef") != "" {
		return "", false
	}
	return Fingerprint(s), true
}

// RevisionOf is the fingerprint of a file's bytes.
func RevisionOf(data []byte) Fingerprint { return sum(data) }

// EntryFingerprint hashes the length-prefixed name and the canonical form of
// the raw value, unexpanded and with its unknown keys: every leaf counts, while
// layout, comments and key order do not (design §5.1). raw is valid JSON.
func EntryFingerprint(name string, raw json.RawMessage) Fingerprint {
	doc, err := jsonc.Parse(raw)
	if err != nil { // never equal to another's: what cannot be read is its bytes
		return sum(fmt.Appendf(nil, "%d:%s!%s", len(name), name, raw))
	}
	return fingerprintOf(name, doc.Root())
}

// fingerprintOf is EntryFingerprint for a value that was parsed.
func fingerprintOf(name string, value *jsonc.Node) Fingerprint {
	var b bytes.Buffer
	b.WriteString(strconv.Itoa(len(name)))
	b.WriteByte(':')
	b.WriteString(name)
	if value != nil {
		fingerprinted(&b).value(value, false)
	}
	return sum(b.Bytes())
}

func sum(data []byte) Fingerprint {
	h := sha256.Sum256(data)
	return Fingerprint("sha256:" + hex.EncodeToString(h[:]))
}

// canonical writes values with sorted keys and one spelling of every string. Inside the
// member of the name ordered the order of the keys has meaning and is kept.
type canonical struct {
	to      *bytes.Buffer
	text    func(string) string
	number  func(string) string
	ordered string // "" for none
}

// fingerprinted is the form that fingerprints are made of: numbers by value.
func fingerprinted(to *bytes.Buffer) canonical {
	return canonical{to, asWritten, canonicalNumber, "toolExposure"}
}

func asWritten(text string) string { return text }

func (c canonical) value(n *jsonc.Node, keepOrder bool) {
	switch n.Kind() {
	case jsonc.Object:
		c.object(n, keepOrder)
	case jsonc.Array:
		c.to.WriteByte('[')
		for i, element := range n.Elements() {
			if i > 0 {
				c.to.WriteByte(',')
			}
			c.value(element, false)
		}
		c.to.WriteByte(']')
	case jsonc.String:
		text, _ := n.Text()
		writeText(c.to, c.text(text))
	case jsonc.Number:
		c.to.WriteString(c.number(string(n.Raw())))
	default:
		c.to.Write(n.Raw())
	}
}

func (c canonical) object(n *jsonc.Node, keepOrder bool) {
	type member struct {
		key   string
		value *jsonc.Node
	}
	var members []member
	for key, value := range n.All() {
		members = append(members, member{key, value})
	}
	if !keepOrder {
		slices.SortStableFunc(members, func(x, y member) int { return strings.Compare(x.key, y.key) })
	}
	c.to.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			c.to.WriteByte(',')
		}
		writeText(c.to, m.key)
		c.to.WriteByte(':')
		c.value(m.value, c.ordered != "" && m.key == c.ordered)
	}
	c.to.WriteByte('}')
}

// writeText is plainJSON for a string; most have nothing to be escaped.
func writeText(b *bytes.Buffer, s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			b.Write(plainJSON(s))
			return
		}
	}
	b.WriteByte('"')
	b.WriteString(s)
	b.WriteByte('"')
}

// plainJSON encodes without the HTML escapes that encoding/json adds.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings, booleans and nil always encode
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// canonicalNumber writes a JSON number by its value: 30, 30.0 and 3e1 are one,
// and no digit of a large one is lost. Zero has no sign.
func canonicalNumber(s string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = "-", rest
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exp := new(big.Int)
	if exponent != "" {
		exp.SetString(strings.TrimPrefix(exponent, "+"), 10)
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exp.Sub(exp, big.NewInt(int64(len(fraction))))
	trimmed := strings.TrimRight(digits, "0")
	exp.Add(exp, big.NewInt(int64(len(digits)-len(trimmed))))
	if trimmed == "" {
		return "0"
	}
	if exp.Sign() == 0 {
		return sign + trimmed
	}
	return sign + trimmed + "e" + exp.String()
}
