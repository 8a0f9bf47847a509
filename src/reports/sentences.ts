/** What reports of runs and checks say. */
import type { Sentences } from '../core/sentences.js'

export const countOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

export const SAYS = {
  failed_and_ignored: (name: string) => `--fail-on ${name} and --ignore ${name} cannot be combined`,
  no_requests: () =>
    'the emulator received no requests, so there is nothing to judge; exec gives its command the address in COMMERCE_URL and COMMERCE_BASE_URL, and --allow-no-requests lets such a run pass',
  none_reached: (calls: number) =>
    `none of ${countOf(calls, 'request')} reached an operation: each had an invalid key, or an unknown path or method; --allow-no-requests lets such a run pass`,
  low_coverage: (percent: number, minimum: number) =>
    `rule coverage must be at least ${minimum} %; got ${percent} %`,
  never_applied: (entry: string) => `the script entry ${entry} was never applied`,
  unmet_in: (message: string, sandboxes: string, more: number) =>
    `${message}, in ${sandboxes}${more > 0 ? ` and ${more} more` : ''}`,
  caused: (finding: string, times: number, about: string, advice: string) =>
    `${finding} (${times}×): ${about} ${advice}`,
  finding: (about: string, advice: string, times: number, requests: string) =>
    `${about} ${advice} (${times}×: ${requests})`,
  headline: (hasPassed: boolean) => (hasPassed ? 'all criteria passed' : 'a criterion failed'),
  share: (seen: number, possible: number, percent: number) =>
    `${seen} of ${possible} rule outcomes, ${percent} %`,
  never_seen: (exercised: number, violated: number) =>
    `${countOf(exercised, 'rule')} never exercised, ${violated} never violated`,
  requests: (requests: number, refused: number) =>
    `${countOf(requests, 'request')}, ${refused} refused`,
  overview: (requests: string, share: string, scenario: string, status: number | null) =>
    `${requests}. ${share}. Scenario: ${scenario}.${status === null ? '' : ` The command exited with ${status}.`}`,
  never_requested: (names: string) => names && `Loaded, but received no requests: ${names}.`,
  relied_on: (assumptions: number) =>
    assumptions === 0 ? 'none' : `relied on ${countOf(assumptions, 'assumption')}`,
  no_findings: () => 'No findings.',
  not_applied: (entries: string) =>
    entries === '' ? 'every entry was applied' : `never applied: ${entries}`,
  all_met: (count: number) => (count === 0 ? 'none' : `${countOf(count, 'expectation')} met`),
  periods: (met: number, of: number) => `${met} of ${countOf(of, 'period')}`,
  map: (rules: number) =>
    `How many requests passed and violated each of the ${rules} rules; – where no request can.`,
  no_test_names: () =>
    'No request named its test. Send the header Test-Name to have requests listed by test.',
  omitted: (requests: number, entries: number) =>
    `${countOf(requests, 'request')} not listed, ${entries} not shown in full.`,
  changed_by: () => 'The records in question were last changed by ',
  page_end: (version: string) =>
    `commerce-emulator ${version}. API keys, card numbers and security codes are not stored.`,
  more_rows: (more: number) => `${more} more are in the report.`,
  outcomes: (seen: number, possible: number, percent: number) =>
    `${seen} of ${possible} outcomes seen: ${percent} %`,
  not_possible: () => '– no request can show this'
} satisfies Sentences
