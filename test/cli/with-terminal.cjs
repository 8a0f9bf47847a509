// Preloaded: stdin looks like a terminal.
process.stdin.isTTY = true
