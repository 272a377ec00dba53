package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io/fs"
	"math/big"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// assertionLife is how long an assertion holds: long enough for a clock that is off.
const assertionLife = 5 * time.Minute

// assertion makes the JWT by which a client with a key authenticates (RFC 7523 §2.2):
// for the issuer alone, and for once.
func (f *flow) assertion(clientID, issuer string) (string, error) {
	key, err := f.privateKey()
	if err != nil {
		return "", err
	}
	alg, why := algorithm(key, f.t.config.SigningAlgorithm)
	if why != "" {
		return "", f.t.failed("the private key cannot sign: "+why, "set 'oauth.signingAlgorithm' to one that fits the key")
	}
	now := f.keeper.now()
	part := func(v map[string]any) string {
		data, _ := json.Marshal(v) // strings and numbers alone
		return base64.RawURLEncoding.EncodeToString(data)
	}
	text := part(map[string]any{"alg": alg, "typ": "JWT"}) + "." + part(map[string]any{
		"iss": clientID, "sub": clientID, "aud": issuer, "jti": random(), "iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	})
	signature, err := sign(key, alg, []byte(text))
	if err != nil {
		return "", f.t.failed("the private key cannot sign: "+err.Error(), "")
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func (f *flow) privateKey() (crypto.Signer, error) {
	text, where := []byte(f.t.config.PrivateKey), "'oauth.privateKey'"
	if path := f.t.config.PrivateKeyFile; path != "" {
		data, info, err := atomicfile.ReadFile(path, maxPEM)
		if err == nil && info == nil {
			err = &atomicfile.IOError{Op: "read", Path: path, Err: fs.ErrNotExist}
		}
		if err != nil {
			return nil, err
		}
		text, where = data, "'"+path+"'"
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, f.t.failed(where+" is no key in PEM", "it begins with -----BEGIN PRIVATE KEY-----")
	}
	var key any
	var err error
	switch block.Type {
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil, f.t.failed(where+" is no private key that mcpctl can read", "give an EC or RSA key without a pass phrase, as PKCS #8")
	}
	return signer, nil
}

// algorithms are those of RFC 7518 §3.1 by key.
var algorithms = map[string]struct {
	hash crypto.Hash
	bits int // of the curve; 0 for RSA
}{
	"ES256": {crypto.SHA256, 256}, "ES384": {crypto.SHA384, 384}, "ES512": {crypto.SHA512, 521},
	"RS256": {crypto.SHA256, 0}, "RS384": {crypto.SHA384, 0}, "RS512": {crypto.SHA512, 0}, "PS256": {crypto.SHA256, 0},
}

// algorithm is the one to sign with: the one that is asked for, if the key can do it,
// else the key's own.
func algorithm(key crypto.Signer, asked string) (alg, why string) {
	bits, own := 0, "RS256"
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		bits = k.Curve.Params().BitSize
		own = map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[bits]
	case *rsa.PrivateKey:
	default:
		return "", "it is neither an EC nor an RSA key"
	}
	if asked == "" {
		asked = own
	}
	a, known := algorithms[asked]
	if !known || a.bits != bits {
		return "", "the algorithm '" + asked + "' is not one of the key's"
	}
	return asked, ""
}

func sign(key crypto.Signer, alg string, text []byte) ([]byte, error) {
	a := algorithms[alg]
	h := a.hash.New()
	h.Write(text)
	digest := h.Sum(nil)
	if k, ok := key.(*ecdsa.PrivateKey); ok { // JWS wants r and s, each of the curve's length (RFC 7518 §3.4)
		r, s, err := ecdsa.Sign(rand.Reader, k, digest)
		if err != nil {
			return nil, err
		}
		size := (a.bits + 7) / 8
		return append(fixed(r, size), fixed(s, size)...), nil
	}
	var opts crypto.SignerOpts = a.hash
	if alg == "PS256" {
		opts = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: a.hash}
	}
	return key.Sign(rand.Reader, digest, opts)
}

func fixed(n *big.Int, size int) []byte { return n.FillBytes(make([]byte, size)) }
