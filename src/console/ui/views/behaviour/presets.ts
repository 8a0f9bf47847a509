/** Script entries that are asked for most, each as a form that makes one. */
import { OPERATION_NAMES, OPERATIONS } from '../../../../reference/operations.js'
import type { Options } from '../../components/fields.js'

export type Values = Readonly<Record<string, string>>
/** `path` is where the value is in the entry, so that a problem there is shown beside the field. */
export type Field = { name: string; label: string; value: string; path: string; hint?: string; options?: Options; list?: readonly string[] }
export type Preset = { title: string; about: string; fields: readonly Field[]; entry: (values: Values) => object }
type Made = Readonly<Record<string, string | number>>

const LISTS = Object.values(OPERATIONS).flatMap(({ kind, method, path }) => (kind === 'list' ? [`${method} ${path}`] : []))
const NUMBERS = ['calls', 'status', 'chance', 'until']
const LENGTH_HINT = 'A duration, such as 250ms, 2s or 10m.'
const FAULTS = ['connection_reset', 'empty_response', 'truncated_body', 'malformed_body', 'hang']
const CODES = ['card_declined', 'insufficient_funds', 'expired_card', 'incorrect_cvc', 'processing_error']
const ORDERS: Options = [
  ['in_order', 'in order of arrival'],
  ['reverse', 'last one first']
]
const MOMENTS: Options = [
  ['after', 'after the request took effect'],
  ['before', 'before the request takes effect']
]

const field = (name: string, label: string, value: string, path = name, more: Partial<Field> = {}): Field => ({ name, label, value, path, ...more })
const on = (value: string, more: Options = []) => field('on', 'Operation', value, 'on', { options: [...more, ['*', 'every request'], ...OPERATION_NAMES] })
const calls = (value: string) =>
  field('calls', 'Which requests', value, 'calls', { hint: 'The first (1), some (2-3), or all from the fourth (4+). Empty for all.' })
const longest = field('longest', 'For at most', '30s', 'hold.for', { hint: `${LENGTH_HINT} Empty for no limit.` })
const status = (value: string, more?: Partial<Field>) => field('status', 'Status', value, 'respond.status', more)

const preset = (title: string, about: string, fields: readonly Field[], entry: (values: Made) => object): Preset => {
  return { title, about, fields, entry: values => given(entry(numbered(values))) }
}

export const PRESETS = {
  decline: preset(
    'Decline the next card payment',
    'The payment is refused before it is made: nothing is recorded.',
    [
      calls('1'),
      field('ticket', 'Ticket', '', 'match.body.ticket', { hint: 'Empty for any.' }),
      field('last4', 'Last four digits', '', 'match.body.card', { hint: 'Empty for any card.' }),
      field('code', 'Code', 'card_declined', 'respond.error.code', { list: CODES }),
      field('message', 'Message', 'The card was declined.', 'respond.error.message'),
      status('402')
    ],
    ({ calls, ticket, last4, code, message, status }) => ({
      name: 'card payments are declined',
      on: 'POST /transactions',
      match: { body: { payment_type: 'card', ticket, card: last4 && { last4 } } },
      calls,
      respond: { status, error: { type: 'card_error', code, message } }
    })
  ),
  lose: preset(
    'Lose the response of the next refund',
    'The request takes effect, and its response never arrives. Does your client look before it retries?',
    [
      on('POST /refunds'),
      calls('1'),
      field('fault', 'How it is lost', 'connection_reset', 'fault', { options: FAULTS }),
      field('when', 'When', 'after', 'when', { options: MOMENTS })
    ],
    ({ on, calls, fault, when }) => ({ name: 'the response is lost', on, calls, fault, when })
  ),
  down: preset(
    'Be down for ten seconds',
    'From the next request on, every response is an error until the time is up.',
    [
      on('*'),
      field('for', 'For', '10s', 'for', { hint: `${LENGTH_HINT} By the clock of the sandbox: advance a frozen clock yourself.` }),
      status('503'),
      field('retry_after', 'Retry-After', '10s', 'respond.retry_after', { hint: `${LENGTH_HINT} Empty for no such header.` })
    ],
    ({ on, for: lasts, status, retry_after }) => ({ name: 'the service is down', on, for: lasts, respond: { status, error: {}, retry_after } })
  ),
  hold: preset(
    'Hold until two wait',
    'Requests wait until this many have come, then go on together: a race that happens every time.',
    [
      on('POST /refunds'),
      field('until', 'How many wait', '2', 'hold.until'),
      field('release', 'Order of release', 'in_order', 'hold.release', { options: ORDERS }),
      longest
    ],
    ({ on, until, release, longest }) => ({ name: 'requests wait for each other', on, hold: { until, release, for: longest } })
  ),
  gate: preset(
    'Hold until a gate opens',
    'Requests wait until you open the gate below.',
    [on('POST /refunds'), field('gate', 'Gate', 'refunds', 'hold.gate'), longest],
    ({ on, gate, longest }) => ({ name: 'requests wait at a gate', on, hold: { gate, for: longest } })
  ),
  slow: preset(
    'Slow lists',
    'Each response takes between the minimum and the maximum, drawn from the seed.',
    [
      on('lists', [['lists', 'every list']]),
      field('min', 'Minimum', '500ms', 'delay.min', { hint: LENGTH_HINT }),
      field('max', 'Maximum', '3s', 'delay.max', { hint: LENGTH_HINT }),
      calls('')
    ],
    ({ on, min, max, calls }) => ({ name: 'responses are slow', on: on === 'lists' ? LISTS : on, calls, delay: min === max ? min : { min, max } })
  ),
  flaky: preset(
    'Flaky by chance',
    'A share of the requests fails, drawn from the seed: the same requests fail every time.',
    [
      on('*'),
      field('chance', 'Share of requests', '0.2', 'chance', { hint: 'From 0 to 1.' }),
      field('how', 'How they fail', 'respond', 'fault', { options: [['respond', 'with an error'], ...FAULTS] }),
      status('503', { hint: 'The status of the error.' })
    ],
    ({ on, chance, how, status }) => ({
      name: 'requests fail now and then',
      on,
      chance,
      ...(how === 'respond' ? { respond: { status, error: {} } } : { fault: how })
    })
  ),
  own: preset(
    'Your own',
    'An operation and a response to start from. In the YAML you can write all that a script entry can do.',
    [on('GET /tickets'), calls(''), status('500')],
    ({ on, calls, status }) => ({ on, calls, respond: { status, error: {} } })
  )
}

type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]
/** The preset with a name; the first one for any other name. */
export const presetCalled = (name = ''): PresetName => (Object.hasOwn(PRESETS, name) ? (name as PresetName) : 'decline')

export const valuesOf = ({ fields }: Preset): Values => Object.fromEntries(fields.map(({ name, value }) => [name, value]))

/** The values of fields that take a number, as one where the text is one; any other text stays, for the emulator to refuse. */
const numbered = (values: Values): Made =>
  Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, NUMBERS.includes(name) && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text.trim()])
  )

/** A value without what was left empty in it. */
const given = (value: object): object => JSON.parse(JSON.stringify(value, (_, member) => (member === '' ? undefined : member)))

/** The field that a problem at a path belongs to: its value is there, above or below. */
export function fieldAt(fields: readonly Field[], path: string): string | undefined {
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
  return path === '' ? undefined : fields.find(field => isWithin(path, field.path) || isWithin(field.path, path))?.name
}
