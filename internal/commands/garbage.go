package commands

import "runtime/debug"

// briefMemory is what a brief command may use before it collects garbage after all.
const briefMemory = 512 << 20

// lastingMemory is what a command that stays may use before it collects more eagerly:
// the answers of servers, 16 MiB each, leave several times their size behind, and some
// of them at once must not take a quarter of a gigabyte.
const lastingMemory = 160 << 20

// LeaveGarbage is for the program, before Main: nearly every command is over in a
// moment, and the system takes its memory back sooner than a collector could find
// what is not needed any more. On a file of some megabytes, collecting is a third
// of the work. Commands that stay call collectGarbage: supervisor run, status
// --watch, logs -f, serve, demo-server.
func LeaveGarbage() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(briefMemory)
}

// collectGarbage undoes LeaveGarbage.
func collectGarbage() {
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(lastingMemory)
}
