/**
 * The suite as a command: one line a check with its rule, then the counts.
 * Reads CONFORMANCE_BASE_URL, CONFORMANCE_MERCHANT_KEY, CONFORMANCE_RESELLER_KEY, CONFORMANCE_TICKET and CONFORMANCE_ALLOW_REMOTE.
 */
import { conformance, gapsIn, type Result } from './suite.js'
import { readLedger, targetOf } from './target.js'

const MARKS = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }

try {
  const target = targetOf(process.env)
  if (!target) throw new Error('CONFORMANCE_BASE_URL is needed: the base address of the service, which ends in /next.')
  process.exitCode = (await report(conformance(target))) ? 0 : 1
} catch (error) {
  console.error(`conformance: ${(error as Error).message}`)
  process.exitCode = 2
}

async function report(running: AsyncIterable<Result>): Promise<boolean> {
  const results: Result[] = []
  for await (const result of running) {
    results.push(result)
    const { rule, title, outcome, detail } = result
    console.log(`${MARKS[outcome]} ${rule.padEnd(7)} ${title}${detail && `\n             ${detail.replaceAll('\n', '\n             ')}`}`)
  }
  const ledger = readLedger()
  const gaps = ledger ? gapsIn(ledger, results) : []
  for (const gap of gaps) console.log(`FAIL ledger  ${gap}`)
  const count = (outcome: Result['outcome']) => results.filter(result => result.outcome === outcome).length
  console.log(`${count('passed')} passed, ${count('failed') + gaps.length} failed, ${count('skipped')} skipped`)
  return count('failed') + gaps.length === 0
}
