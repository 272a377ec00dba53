package oauth

// hasRing: the keychain is always there.
func hasRing() bool { return true }
