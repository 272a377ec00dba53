package store

import "strings"

// Closest returns the candidate within a third of the word's length in edit
// distance, or "". Case does not count, and two letters that changed places are one
// mistake, since people make it as one (optimal string alignment).
func Closest(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= limit && d < len(word) {
			best, limit = c, d-1
		}
	}
	return best
}

func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
