// @ts-check
/** The texts of the console, made from what the control API returns. No document is touched here, so that tests can run it without a browser. */

/**
 * @typedef {{ id: string, method: string, path: string, status: number, answered: boolean, ms: number,
 *   script?: { id: string, name?: string | null } | null, refusal?: { code: string, rule?: string, assumption?: string } | null }} Call
 * @typedef {{ scenario: { name: string, description: string | null }, seed: number, clock: { now: string, running: boolean }, counts: Record<string, number> }} Overview
 * @typedef {{ severity: string, finding: string, times: number, requests: string[], about: string, advice: string }} Finding
 * @typedef {{ seen: number, possible: number, percent: number, never_exercised: string[], never_violated: string[] }} Coverage
 * @typedef {{ id: string, entry: { name?: string, on: string }, matched: number, applied: number }} ScriptEntry
 */

const listed = (/** @type {string[]} */ names) => names.join(', ') || 'none'

/**
 * The cells of a call's row: id, call, status, what it was answered because of, milliseconds.
 * @param {Call} call
 * @returns {string[]}
 */
export function callCells({ id, method, path, status, answered, script, refusal, ms }) {
  const causes = [refusal && (refusal.rule ?? refusal.assumption ?? refusal.code), script && (script.name ?? script.id)]
  return [id, `${method} ${path}`, answered ? `${status}` : `${status}, answer lost`, causes.filter(Boolean).join(', '), `${ms}`]
}

/**
 * Whether a call's row is marked as one that went wrong.
 * @param {Call} call
 */
export const isMarked = ({ status, answered }) => status >= 400 || !answered

/**
 * The line below the title.
 * @param {Overview} overview
 */
export function overviewText({ scenario, seed, clock, counts }) {
  const time = clock.running ? clock.now : `${clock.now}, frozen`
  const records = Object.entries(counts).map(([family, count]) => `${count} ${family}`)
  return [scenario.name, scenario.description, `seed ${seed}`, time, records.join(', ')].filter(Boolean).join(' · ')
}

/**
 * @param {Finding} finding
 */
export const findingText = ({ severity, finding, about, advice, times, requests }) =>
  `${severity}: ${finding} (${times}×, ${requests.join(', ')}). ${about} ${advice}`

/**
 * @param {Coverage} coverage
 */
export const coverageText = ({ seen, possible, percent, never_exercised, never_violated }) =>
  `${seen} of ${possible} rule outcomes, ${percent} %. Never exercised: ${listed(never_exercised)}. Never violated: ${listed(never_violated)}.`

/**
 * @param {ScriptEntry} scriptEntry
 */
export const scriptText = ({ id, entry, matched, applied }) => `${[id, entry.name, entry.on].filter(Boolean).join(' ')}: matched ${matched}, applied ${applied}`
