package report

// Session is the document of `session open`.
type Session struct {
	Schema    int    `json:"schema"`
	Session   string `json:"session"` // its id, for --session=ID
	Workspace string `json:"workspace"`
	Epoch     string `json:"epoch"` // of the supervisor; the session ends with it
}
