package supervisor

// harden keeps this process's memory, which holds tokens, out of core files.
// macOS has no way to adopt orphans: a server that forks twice leaves the line of
// descent that admit looks at.
func harden() (release func(), err error) { return func() {}, noCore() }
