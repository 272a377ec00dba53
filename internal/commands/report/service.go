package report

// ServiceFiles is the document of `supervisor install` and `uninstall`: what became
// of the files, and the command that makes the service manager see it.
type ServiceFiles struct {
	Schema  int           `json:"schema"`
	Manager string        `json:"manager"` // "systemd" or "launchd"
	Files   []ServiceFile `json:"files"`
	Next    string        `json:"next"`
}

// ServiceFile is one file. Content is there with --print only.
type ServiceFile struct {
	Path    string `json:"path"`
	State   string `json:"state"` // "written", "unchanged", "removed", "missing" or "printed"
	Content string `json:"content,omitempty"`
}
