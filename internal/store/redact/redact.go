// Package redact hides secrets in, and makes harmless, any text that leaves the program.
//
// Two things are hidden. Known values: what the caller resolved or stored (variables, tokens, header values), wherever they
// stand and however they are written down (base64, hex, percent or JSON escapes). Shapes: what looks like a secret to anyone
// (a password in a URL, Bearer tokens, key=value with a telling key, well-known token prefixes, long random runs).
// The second matters because servers print secrets nobody told us about; the first because no shape catches a pass phrase.
//
// Hide first and cut afterwards: half a secret is not recognised. Source: design section 14.
package redact

// Hidden is what stands in the place of a secret. It has no character of any encoding a secret may be in, so hiding
// twice gives the same text as hiding once. Source: design section 14.
const Hidden = "***"

// Mask hides a set of known values and every shape. The zero value and nil know no values and hide shapes only.
// A Mask never changes once made and may be used from several goroutines. Source: design section 14.
type Mask struct {
	values []string
	index  *index // nil: no known values
}

// NewMask returns a Mask that knows values: resolved variables, tokens, header values. Of a header value the part after
// the scheme is known too, of a URL its password, of a value with several lines each line. Left out is what would
// blacken ordinary text and is no secret (see worthHiding): fewer than six bytes, common words, file paths below the
// usual top directories, plain URLs. Source: design section 14.
func NewMask(values ...string) *Mask {
	var m *Mask
	return m.With(values...)
}

// With returns a Mask that knows values beside those m knows; m stays as it is. Source: design section 14.
func (m *Mask) With(values ...string) *Mask {
	next := &Mask{}
	if m != nil {
		next.values = append(next.values, m.values...)
	}
	for _, v := range values {
		next.values = append(next.values, secretsIn(v)...)
	}
	next.index = newIndex(next.values)
	return next
}

// Text returns s with every known value and every shape hidden. The work is linear in s and the result is valid UTF-8
// if s is. It does not keep a JSON document valid; that is what JSON is for. Source: design section 14.
func (m *Mask) Text(s string) string {
	return hideShapes(m.hideKnown(s), false)
}

// Text returns s with every shape hidden, for text without known values. Source: design section 14.
func Text(s string) string {
	return hideShapes(s, false)
}

// URL returns u with user info and credential-named query values hidden and the rest readable. Unlike Text it takes all
// of u as one URL, blanks and quotes included. u need not be valid. Source: design section 14.
func (m *Mask) URL(u string) string {
	return hideShapes(m.hideKnown(u), true)
}

// URL is Mask.URL without known values. Source: design section 14.
func URL(u string) string {
	return hideShapes(u, true)
}

// hideKnown is the first of two steps; the shapes then see what is left, so no shape can save half of a known value.
func (m *Mask) hideKnown(s string) string {
	if m == nil || m.index == nil {
		return s
	}
	var found spans
	for _, v := range allViews(s, m.index.spaced) {
		var here spans
		m.index.find(v.text, &here)
		found.addAll(v, here)
	}
	return found.hide(s)
}

// hideShapes runs every finder over the text and its unescaped views. whole: s is one URL and nothing else.
func hideShapes(s string, whole bool) string {
	var found spans
	for _, v := range shallowViews(s) {
		var here spans
		findURLs(v.text, whole, &here)
		findPairs(v.text, &here)
		findFlags(v.text, &here)
		findCommandLines(v.text, &here)
		findBearer(v.text, &here)
		findBasic(v.text, &here)
		findKeyBlocks(v.text, &here)
		findPrefixes(v.text, &here)
		findRuns(v.text, &here)
		found.addAll(v, here)
	}
	return found.hide(s)
}
