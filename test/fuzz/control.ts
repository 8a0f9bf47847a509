/** A run of control documents: none may make a neighbour wait, end the process or, when it is refused, change anything. */
import { createHash } from 'node:crypto'
import { basic } from './api-calls.js'
import { documentOf, type PostedDocument } from './documents.js'
import { Draws } from './draws.js'
import { type Finding, shown } from './fuzz.js'
import { faultsOf } from './judge.js'
import { Neighbour } from './neighbour.js'
import { startTarget } from './target.js'

export type ControlReport = {
  documents: number
  statuses: Record<string, number>
  findings: Finding[]
  /** The longest wait of the neighbour beyond what a server that does nothing took at the same time, in milliseconds. */
  longest: number
  /** Documents that were posted again because the neighbour waited too long: another time it did not. */
  again: number
  seconds: number
}
type Answer = { status: number; headers: Record<string, string>; text: string }

const HEAP = '--max-old-space-size=768'
const LONGEST_WAIT = 250
/** A wait counts when it is too long every time. */
const TRIES = 4
const MOST_FINDINGS = 10
/** Of more records than these, only the counts are compared. */
const FEW = 5000

/** Posts documents and returns the findings; the process is always ended. */
export async function fuzzControl({
  seed,
  count,
  first = 0,
  tell
}: {
  seed: number
  count: number
  first?: number
  tell?: (line: string) => void
}): Promise<ControlReport> {
  const begun = Date.now()
  const target = await startTarget(null, [HEAP])
  const base = `http://127.0.0.1:${target.port}`
  const authorization = basic('sk_test_merchant:')
  const send = async (method: string, path: string, sent?: PostedDocument): Promise<Answer> => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization, ...(sent && { 'content-type': sent.type }) },
      ...(sent && { body: new Uint8Array(sent.body) }),
      signal: AbortSignal.timeout(120_000)
    })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  }
  await send('GET', '/sandbox/neighbour/next/tickets')
  const neighbour = await Neighbour.start(target.port, '/sandbox/neighbour/next/tickets/tkt_1', authorization)
  const report: ControlReport = { documents: 0, statuses: {}, findings: [], longest: 0, again: 0, seconds: 0 }
  const found = (finding: Finding) => {
    report.findings.push(finding)
    tell?.(shown(finding))
  }
  const stateNow = async () => {
    const { text } = await send('GET', '/sandbox/fuzzed/_control')
    const { counts, scenario } = JSON.parse(text) as { counts: Record<string, number>; scenario: unknown }
    const size = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const parts = size > FEW ? ['script', 'settings'] : ['script', 'settings', 'state']
    const texts = await Promise.all(parts.map(async part => (await send('GET', `/sandbox/fuzzed/_control/${part}`)).text))
    const digest = createHash('sha256').update(JSON.stringify([scenario, counts]))
    for (const part of texts) digest.update(part)
    return digest.digest('hex')
  }
  let state = ''
  /** Posts a document; what is wrong with its answer and with the state after it. */
  const posted = async (document: PostedDocument): Promise<{ answer: Answer; faults: string[] }> => {
    const [method, path] = document.on.split(' ') as [string, string]
    await neighbour.waits()
    const answer = await send(method, `/sandbox/fuzzed${path}`, document)
    const { emulator, control } = await neighbour.waits()
    const wait = emulator - control
    const faults = faultsOf({ answers: [{ ...answer, body: answer.text }], text: '', failure: null }, { method, path })
    if (answer.status >= 500) faults.push(`status ${answer.status}`)
    const before = state
    state = await stateNow()
    if (answer.status >= 400 && state !== before) faults.push('a refused document changed something')
    if (wait > LONGEST_WAIT) return { answer, faults: [...faults, `${SLOW}${Math.round(wait)} ms`] }
    report.longest = Math.max(report.longest, wait)
    return { answer, faults }
  }
  try {
    await send('GET', '/sandbox/fuzzed/next/tickets')
    state = await stateNow()
    for (let nth = first; nth < first + count && report.findings.length < MOST_FINDINGS; nth++) {
      const document = documentOf(new Draws(seed, nth))
      let { answer, faults } = await posted(document)
      for (let tries = 1; tries < TRIES && faults.some(fault => fault.startsWith(SLOW)); tries++) {
        report.again++
        ;({ answer, faults } = await posted(document))
      }
      report.documents++
      report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1
      const { on, type, body } = document
      if (faults.length > 0) found({ nth, faults, request: `${on} ${type} ${body.length} bytes ${body.toString('latin1')}`, answer: answer.text })
      if (nth % 20 === 19) {
        await send('DELETE', '/_control/sandboxes/fuzzed')
        await send('GET', '/sandbox/fuzzed/next/tickets')
        state = await stateNow()
      }
      if (nth % 1000 === 999) tell?.(`${nth + 1} documents, longest wait ${Math.round(report.longest)} ms`)
    }
  } catch (error) {
    found({
      nth: first + report.documents,
      faults: [`the emulator cannot be asked any more: ${(error as Error).message} ${(error as Error).cause ?? ''}`],
      request: '',
      answer: ''
    })
  }
  await neighbour.stop()
  if (target.hasEnded()) found({ nth: null, faults: ['the process ended by itself'], request: '', answer: '' })
  const code = await target.stop()
  if (code !== 0) found({ nth: null, faults: [`SIGTERM ended the process with ${code}`], request: '', answer: '' })
  for (const complaint of target.complaints) found({ nth: null, faults: [complaint.slice(0, 500)], request: '', answer: '' })
  report.seconds = (Date.now() - begun) / 1000
  return report
}

const SLOW = 'a neighbour waited '
