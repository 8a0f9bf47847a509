/** No message repeats more than the beginning of a text from a client. */
import t from 'tap'
import { REFUSALS as CONTROL, VERIFY } from '../../src/control/sentences.js'
import type { ApiError } from '../../src/core/errors.js'
import { CHECKS, type Sentences, sayer } from '../../src/core/sentences.js'
import { REFUSALS as ENGINE } from '../../src/engine/sentences.js'
import { REFUSALS as SANDBOX } from '../../src/sandbox/sentences.js'
import { SAYS as SCENARIO } from '../../src/scenario/sentences.js'

const MAX = 500
const LONG = 'ab'.repeat(5000)
const OTHERS = ['/x', 1, ['x'], { path: '/x', message: 'x' }]
type Say = (...given: unknown[]) => unknown

const said = (table: Sentences): Record<string, Say> => {
  const say = sayer(table) as Say
  return Object.fromEntries(
    Object.keys(table).map(code => [
      code,
      (...given: unknown[]) => (say(code, ...given) as { message: string }).message
    ])
  )
}
const refused = (table: object): Record<string, Say> =>
  Object.fromEntries(
    Object.entries(table as Record<string, Say>).map(([name, refuse]) => [
      name,
      (...given) => (refuse(...given) as ApiError).message
    ])
  )
const EMULATED = 'a refusal of the emulated API'
const TABLES = {
  'a check': said(CHECKS),
  'a scenario': said(SCENARIO),
  'a verdict': said(VERIFY),
  'a refusal of the control API': refused(CONTROL),
  [EMULATED]: refused(ENGINE),
  'a refusal of a sandbox': refused(SANDBOX)
}

/** Arguments that come from the emulator. */
const OWN = ['pathUnknown 1']
/** Arguments that come from a client, where others are known names. */
const SENT: Readonly<Record<string, readonly number[]>> = {
  noPath: [0],
  noMethod: [0],
  outsideBase: [0],
  encoded: [0],
  notAForm: [0],
  unknownKey: [0],
  unknownCursor: [1],
  unknownReference: [2],
  notInPath: [2],
  otherUser: [1]
}

/** The sentence for a long text as one argument, with other values. */
function saidOf(say: Say, place: number, given: unknown[] = []): unknown[] {
  if (given.length > 5) {
    try {
      return [say(...given)]
    } catch {
      return []
    }
  }
  const others = given.length < place + 3 ? OTHERS : ['/x']
  const values = given.length === place ? [LONG] : others
  return values.flatMap(value => saidOf(say, place, [...given, value]))
}

for (const [what, table] of Object.entries(TABLES))
  t.test(`${what} has at most ${MAX} characters for any values`, async t => {
    for (const [code, say] of Object.entries(table))
      for (const place of what === EMULATED ? (SENT[code] ?? []) : [0, 1, 2]) {
        if (OWN.includes(`${code} ${place}`)) continue
        const messages = saidOf(say, place)
        const longest = Math.max(0, ...messages.map(message => String(message).length))
        t.ok(longest <= MAX, `${code} of ${place}: ${longest}`)
      }
  })
