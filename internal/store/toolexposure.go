package store

// ExposureOf is how a tool is offered: what toolExposure says of its exact name, else
// the first of its patterns that matches, else the server's own exposure (design §3).
func (r *Row) ExposureOf(tool string) Exposure {
	found := r.Exposure
	for i := len(r.Tools) - 1; i >= 0; i-- {
		rule := r.Tools[i]
		if rule.Pattern == tool {
			return rule.Exposure
		}
		if Matches(rule.Pattern, tool) {
			found = rule.Exposure
		}
	}
	return found
}
