package store

// checkFolders makes those entries of a project file invalid that say to start outside
// the workspace (design §9.2): they never could, so nothing of them is to be approved.
// A cwd with references is known only when it is resolved.
func (s *Store) checkFolders(src *Source) {
	if src.Scope != Project {
		return
	}
	for _, e := range src.Entries {
		if e.Definition == nil || e.Definition.Transport != Stdio {
			continue
		}
		if err := s.cwdInside(e); err != nil {
			e.Definition = nil
			e.Problems = append(e.Problems, Problem{Rule: ruleOutside, Code: CodeInvalid, Severity: SeverityError, Source: src.Path,
				Line: e.Line, Column: e.Column, Server: e.Name, Message: err.Message, Hint: err.Hint_})
		}
	}
}
