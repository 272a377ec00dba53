// Package engine keeps each session's connections as the configuration wants
// them and knows their status (design §9.2, §9.3). It is the only room with
// goroutines that outlive a call; each has an owner, a Session, and an end, its
// Close.
package engine
