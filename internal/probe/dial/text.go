package dial

import (
	"bytes"
	"unicode/utf8"
)

// valid returns a message of the server as UTF-8, as JSON has to be (RFC 8259 §8.1):
// what is none becomes U+FFFD here, where it enters, or our own JSON would be none. The
// first such message of a connection is told of.
func (v *voice) valid(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	v.badText.Do(func() {
		v.event("warning", "protocol", "a message of the server is not UTF-8; what is none is shown as U+FFFD, here and from now on")
	})
	return bytes.ToValidUTF8(data, []byte("\ufffd"))
}
