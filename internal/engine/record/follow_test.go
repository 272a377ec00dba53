package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// following runs a Follow in a bubble, where its ticker costs no time, and gives the texts it emits.
type following struct {
	texts chan string
	done  chan error
	stop  context.CancelFunc
}

func follow(t *testing.T, dir string, f Filter) *following {
	ctx, stop := context.WithCancel(t.Context())
	w := &following{make(chan string), make(chan error, 1), stop}
	go func() {
		w.done <- Follow(ctx, dir, f, func(r Record) error {
			select {
			case w.texts <- r.Text:
			case <-ctx.Done():
			}
			return ctx.Err()
		})
	}()
	return w
}

// want takes the next texts; the bubble reports a deadlock if they never come.
func (w *following) want(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		select {
		case got := <-w.texts:
			if got != text {
				t.Errorf("got %q, want %q", got, text)
			}
		case err := <-w.done:
			t.Fatalf("waiting for %q: %v", text, err)
		case <-time.After(time.Hour):
			t.Fatalf("%q does not come", text)
		}
	}
}

// end stops it and checks that nothing else was emitted.
func (w *following) end(t *testing.T) {
	t.Helper()
	select {
	case got := <-w.texts:
		t.Errorf("got %q, want nothing", got)
	case <-time.After(time.Minute):
	}
	w.stop()
	if err := <-w.done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "state")
		w := follow(t, dir, Filter{}) // before there is a log
		synctest.Wait()
		l := openLog(t, dir, logLimit)
		say(t, l, "one", "two\nmore")
		w.want(t, "one", "two\nmore")
		say(t, l, "three")
		w.want(t, "three")
		l.Close() // the supervisor is restarted
		say(t, openLog(t, dir, logLimit), "four")
		w.want(t, "four")
		w.end(t)
	})
}

func TestFollowFilter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		filter Filter
		want   []string
	}{
		"all":      {Filter{}, []string{"one", "two", "three"}},
		"last":     {Filter{Last: 1}, []string{"two", "three"}},
		"only new": {Filter{Last: -1}, []string{"three"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				l := openLog(t, dir, logLimit)
				tt.filter.Server = "docs"
				say(t, l, "one", "two")
				w := follow(t, dir, tt.filter)
				synctest.Wait()
				if err := l.Append(Record{Time: noon, Server: "other", Text: "x"}, nil); err != nil {
					t.Fatal(err)
				}
				say(t, l, "three")
				w.want(t, tt.want...)
				w.end(t)
			})
		})
	}
}

func TestFollowRotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l := openLog(t, dir, 150) // three records
		var texts []string
		for i := range 40 {
			texts = append(texts, fmt.Sprintf("record %02d", i))
		}
		say(t, l, texts[0])
		w := follow(t, dir, Filter{})
		w.want(t, texts[0])
		next := 1
		for _, n := range []int{1, 2, 4, 3, 1, 1, 4, 2, 5} { // between two looks: none, one or two rotations
			say(t, l, texts[next:next+n]...)
			w.want(t, texts[next:next+n]...)
			next += n
		}
		w.end(t)
	})
}

func TestFollowHalfWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l := openLog(t, dir, logLimit)
		whole := Record{noon, "docs", "info", "", "one\ntwo\nthree"}.String() + "\n"
		write := func(text string) {
			if _, err := l.file.WriteString(text); err != nil {
				t.Error(err)
			}
		}
		w := follow(t, dir, Filter{})
		<-time.After(pollEvery / 2) // from here on there is one look between two writes
		for at := range len(whole) {
			write(whole[at : at+1])
			<-time.After(pollEvery)
		}
		w.want(t, "one\ntwo\nthree")
		w.end(t)
	})
}

func TestFollowRemovedAndEmptied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l := openLog(t, dir, 100)
		say(t, l, "one", "two", "three")
		w := follow(t, dir, Filter{Last: 1})
		w.want(t, "three")
		if err := os.Remove(l.path()); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		say(t, l, "four") // and the old log, read already, is not read again
		w.want(t, "four")
		if err := os.Truncate(l.path(), 0); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		say(t, l, "five")
		w.want(t, "five")
		w.end(t)
	})
}

func TestFollowStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say(t, openLog(t, dir, logLimit), "one", "two")
	full := errors.New("pipe is closed")
	var got []string
	err := Follow(t.Context(), dir, Filter{}, func(r Record) error {
		got = append(got, r.Text)
		return full
	})
	if !errors.Is(err, full) || !slices.Equal(got, []string{"one"}) {
		t.Errorf("got %q, %v", got, err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := Follow(ended, dir, Filter{}, func(Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
