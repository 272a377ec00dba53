package commands

import (
	"math"
	"runtime/debug"
)

// briefMemory is what a brief command may use before it collects garbage after all.
const briefMemory = 512 << 20

// leaveGarbage is for commands that are over in a moment: the system takes their
// memory back sooner than a collector could find what is not needed any more. On
// a file of some megabytes, collecting is a third of the work.
func leaveGarbage() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(briefMemory)
}

// collectGarbage is for commands that stay.
func collectGarbage() {
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(math.MaxInt64)
}
