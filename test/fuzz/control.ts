/**
 * A run of control documents: none may delay a neighbour, end the process or, if refused, change
 * anything.
 */
import { hash } from 'node:crypto'
import { startNeighbour } from '../endurance/support/neighbour.js'
import { basic } from './api-calls.js'
import { Client, type Outcome } from './client.js'
import { documentOf, type PostedDocument } from './documents.js'
import { Draws } from './draws.js'
import { type Finding, shown } from './fuzz.js'
import { faultsOf } from './judge.js'
import { startTarget } from './target.js'

type ControlReport = {
  documents: number
  statuses: Record<string, number>
  findings: Finding[]
  longest: number
  /** Documents that were sent again because the neighbour waited too long. */
  again: number
  seconds: number
}

const HEAP = '--max-old-space-size=768'
const LONGEST_WAIT = 250
/** A wait counts if it is too long every time. */
const TRIES = 4
const MOST_FINDINGS = 10
/** Above this number of records, only the counts are compared. */
const FEW = 5000
const SLOW = 'a neighbour waited '

type ControlOptions = { seed: number; count: number; first?: number; tell?: (line: string) => void }

export async function fuzzControl({
  seed,
  count,
  first = 0,
  tell = () => {}
}: ControlOptions): Promise<ControlReport> {
  const begun = Date.now()
  const target = await startTarget(null, [HEAP])
  const client = new Client(target.port, 1)
  const authorization = basic('sk_test_merchant:')
  const send = (on: string, sent?: PostedDocument): Promise<Outcome> => {
    const [method, path] = on.split(' ') as [string, string]
    return client.call({
      method,
      path,
      headers: { authorization, ...(sent && { 'content-type': sent.type }) },
      body: sent?.body ?? null
    })
  }
  const textOf = async (path: string) =>
    (await send(`GET /sandbox/fuzzed/_control${path}`)).answers[0]?.body ?? ''
  await send('GET /sandbox/neighbour/next/tickets')
  const neighbour = startNeighbour()
  neighbour.call('emulator', target.port)
  const longestWait = async () => {
    const { emulator, bare } = await neighbour.taken()
    return Math.max(...(emulator?.times ?? []), 0) - Math.max(...(bare?.times ?? []), 0)
  }
  const report: ControlReport = {
    documents: 0,
    statuses: {},
    findings: [],
    longest: 0,
    again: 0,
    seconds: 0
  }
  const found = (nth: number | null, faults: string[], request = '', answer = '') =>
    tell(
      shown(report.findings[report.findings.push({ nth, faults, request, answer }) - 1] as Finding)
    )
  const stateNow = async () => {
    const text = await textOf('')
    const { counts, scenario } = JSON.parse(text) as {
      counts: Record<string, number>
      scenario: unknown
    }
    const size = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const texts = await Promise.all(
      ['/script', '/settings', ...(size > FEW ? [] : ['/state'])].map(textOf)
    )
    return hash('sha256', [JSON.stringify([scenario, counts]), ...texts].join(''))
  }
  let state = ''
  const posted = async (
    document: PostedDocument
  ): Promise<{ outcome: Outcome; faults: string[] }> => {
    const on = document.on.replace(' ', ' /sandbox/fuzzed')
    await longestWait()
    const outcome = await send(on, document)
    const wait = await longestWait()
    const [method = '', path = ''] = on.split(' ')
    // a document shows its own keys and numbers
    const faults = faultsOf({ ...outcome, text: '' }, { method, path })
    const before = state
    state = await stateNow()
    if (outcome.answers.some(({ status }) => status >= 400) && state !== before)
      faults.push('a refused document changed something')
    if (wait > LONGEST_WAIT) faults.push(`${SLOW}${Math.round(wait)} ms`)
    else report.longest = Math.max(report.longest, wait)
    return { outcome, faults }
  }
  try {
    for (let nth = first; nth < first + count && report.findings.length < MOST_FINDINGS; nth++) {
      if ((nth - first) % 20 === 0) {
        await send('DELETE /_control/sandboxes/fuzzed')
        await send('GET /sandbox/fuzzed/next/tickets')
        state = await stateNow()
      }
      const document = documentOf(new Draws(seed, nth))
      let { outcome, faults } = await posted(document)
      for (let tries = 1; tries < TRIES && faults.some(fault => fault.startsWith(SLOW)); tries++) {
        report.again++
        ;({ outcome, faults } = await posted(document))
      }
      report.documents++
      for (const { status } of outcome.answers)
        report.statuses[status] = (report.statuses[status] ?? 0) + 1
      const { on, type, body } = document
      if (faults.length > 0)
        found(
          nth,
          faults,
          `${on} ${type} ${body.length} bytes ${body.toString('latin1')}`,
          outcome.text
        )
      if (nth % 1000 === 999)
        tell(`${nth + 1} documents, longest wait ${Math.round(report.longest)} ms`)
    }
  } catch (error) {
    found(first + report.documents, [
      `the emulator cannot be asked any more: ${(error as Error).message} ${(error as Error).cause ?? ''}`
    ])
  }
  neighbour.stop()
  client.close()
  for (const fault of await target.stop()) found(null, [fault.slice(0, 500)])
  report.seconds = (Date.now() - begun) / 1000
  return report
}
