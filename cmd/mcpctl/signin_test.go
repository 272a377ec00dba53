package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/probe/oauth"
	"github.com/mcpctl/mcpctl/internal/store"
)

// signIn is the command `sign-in NAME [SCOPE]`: a sign-in as another process of the
// user makes it, from the server's own refusal to the stored credential, its browser
// included. It prints the credential's id.
func signIn() { finish(signsIn()) }

// signOut is the command `sign-out NAME`.
func signOut() { finish(signsOut()) }

func finish(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(1)
	}
	os.Exit(0)
}

// target is the server that the command names, as it is admitted.
func target() (t oauth.Target, k *oauth.Keeper, challenge string, err error) {
	env := store.NewEnviron(os.Environ())
	dir, err := os.Getwd()
	if err != nil {
		return t, nil, "", err
	}
	st, err := store.Open(env, dir, "")
	if err != nil {
		return t, nil, "", err
	}
	server, err := st.Load().Admit(os.Args[1])
	if err != nil {
		return t, nil, "", err
	}
	l, err := server.Resolve(env)
	if err != nil {
		return t, nil, "", err
	}
	k = oauth.NewKeeper(st.Places, oauth.SystemRing(env))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := dial.Open(ctx, server, dial.Options{Env: env})
	if err == nil {
		conn.Close()
	}
	var refused *dial.Error
	if errors.As(err, &refused) {
		challenge = refused.Challenge
	}
	return oauth.NewTarget(server, l, env, "test"), k, challenge, nil
}

func signsIn() error {
	t, k, challenge, err := target()
	if err != nil {
		return err
	}
	defer k.Close()
	o := oauth.Options{Challenge: []string{challenge}, Timeout: patience, Show: func(oauth.Page) {}, Open: browse}
	if len(os.Args) > 2 {
		o.Scope = os.Args[2]
	}
	s, err := oauth.SignIn(context.Background(), k, t, o)
	if err == nil {
		fmt.Println(s.ID)
	}
	return err
}

func browse(page string) error {
	client := &http.Client{Timeout: patience}
	resp, err := client.Get(page)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func signsOut() error {
	t, k, _, err := target()
	if err != nil {
		return err
	}
	defer k.Close()
	s, found, err := k.Find(t)
	if err != nil || !found {
		return errors.Join(err, errors.New("nobody is signed in"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = oauth.Logout(ctx, k, t, s.ID)
	return err
}
