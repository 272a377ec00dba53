package stub

import (
	"encoding/json"
	"math/rand/v2"
	"time"
)

// held is an answer that -gather keeps back.
type held struct {
	id     json.RawMessage
	result any
	fail   *failure
}

// hold keeps an answer to tools/call until -gather of them are there, and then
// gives all of them in no order, with a pause of up to -pause before each.
func (s *server) hold(h held) {
	s.holding = append(s.holding, h)
	if len(s.holding) < s.gather {
		return
	}
	rand.Shuffle(len(s.holding), func(i, j int) { s.holding[i], s.holding[j] = s.holding[j], s.holding[i] })
	for _, h := range s.holding {
		if s.pause > 0 {
			time.Sleep(rand.N(s.pause))
		}
		s.reply(h.id, h.result, h.fail)
		s.out.Flush()
	}
	s.holding = nil
}
