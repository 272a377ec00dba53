package stub

import (
	"encoding/json"
	"slices"
)

// log sends as many log messages as -logs says, as far as the client wants their level.
func (s *server) log(m message) {
	var call struct {
		Meta struct {
			Level string `json:"io.modelcontextprotocol/logLevel"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &call)
	wanted := s.level
	if s.modern {
		wanted = call.Meta.Level
		if wanted == "" {
			return
		}
	}
	for i := range s.logs {
		level := []string{"debug", "warning"}[i%2]
		if level == "debug" && wanted != "" && wanted != "debug" {
			continue
		}
		s.notice("notifications/message", map[string]any{"level": level, "logger": "stub", "data": map[string]any{"n": i, "x": json.RawMessage("1.50")}})
	}
}

// subscription takes a subscription, or takes it back.
func (s *server) subscription(m message) (any, *failure) {
	var asked struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(m.Params, &asked)
	if !slices.Contains(s.resources, asked.URI) {
		return nil, &failure{Code: codeNoResource, Message: "no resource " + asked.URI}
	}
	s.subscribed = slices.DeleteFunc(s.subscribed, func(uri string) bool { return uri == asked.URI })
	if m.Method == "resources/subscribe" {
		s.subscribed = append(s.subscribed, asked.URI)
	}
	return struct{}{}, nil
}

// listen is the subscription of 2026-07-28. Its answer would be its end.
func (s *server) listen(m message) {
	var asked struct {
		Notifications struct {
			URIs []string `json:"resourceSubscriptions"`
		} `json:"notifications"`
	}
	_ = json.Unmarshal(m.Params, &asked)
	s.subscribed = append(s.subscribed, asked.Notifications.URIs...)
	s.notice("notifications/subscriptions/acknowledged", map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/subscriptionId": m.ID}})
}
