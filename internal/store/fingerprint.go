package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
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
// layout, comments and key order do not (design §5.1).
func EntryFingerprint(name string, raw json.RawMessage) Fingerprint {
	var b bytes.Buffer
	b.WriteString(strconv.Itoa(len(name)))
	b.WriteByte(':')
	b.WriteString(name)
	canonical(&b, raw, false)
	return sum(b.Bytes())
}

func sum(data []byte) Fingerprint {
	h := sha256.Sum256(data)
	return Fingerprint("sha256:" + hex.EncodeToString(h[:]))
}

// canonical appends raw with sorted keys, numbers by value and one spelling of
// every string. Inside toolExposure the order of the keys has meaning and is
// kept. raw is valid JSON.
func canonical(b *bytes.Buffer, raw json.RawMessage, keepOrder bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	canonicalValue(b, dec, keepOrder)
}

func canonicalValue(b *bytes.Buffer, dec *json.Decoder, keepOrder bool) {
	tok, err := dec.Token()
	if err != nil {
		return // raw was parsed before; there is nothing to append
	}
	switch v := tok.(type) {
	case json.Delim:
		if v == '[' {
			canonicalArray(b, dec)
		} else {
			canonicalObject(b, dec, keepOrder)
		}
	case json.Number:
		b.WriteString(canonicalNumber(string(v)))
	default: // string, bool, nil
		b.Write(plainJSON(v))
	}
}

func canonicalArray(b *bytes.Buffer, dec *json.Decoder) {
	b.WriteByte('[')
	for i := 0; dec.More(); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		canonicalValue(b, dec, false)
	}
	_, _ = dec.Token()
	b.WriteByte(']')
}

func canonicalObject(b *bytes.Buffer, dec *json.Decoder, keepOrder bool) {
	type member struct{ key, text string }
	var members []member
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return
		}
		key, _ := tok.(string)
		var value bytes.Buffer
		canonicalValue(&value, dec, key == "toolExposure")
		members = append(members, member{key, string(plainJSON(key)) + ":" + value.String()})
	}
	_, _ = dec.Token()
	if !keepOrder {
		slices.SortStableFunc(members, func(x, y member) int { return strings.Compare(x.key, y.key) })
	}
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m.text)
	}
	b.WriteByte('}')
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
