/**
 * The processor time that this process has used so far, in milliseconds: what a bound on work is
 * held against, since other work on the machine does not count.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
