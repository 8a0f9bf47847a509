/** Script entries that are asked for most, each as a form that makes one. */
import { typedValue } from '../../../../core/typed-value.js'
import { OPERATION_NAMES } from '../../../../reference/operations.js'
import type { Options } from '../../components/fields.js'

type Values = Readonly<Record<string, string>>
export type Preset = { title: string; about: string; values: Values }
type Field = { label: string; hint?: string; options?: Options; list?: readonly string[] }

const LENGTH_HINT = 'A duration, such as 250ms, 2s or 10m.'
const NUMBERS = ['calls', 'chance', 'hold.until', 'respond.status']

export const FIELDS: Readonly<Record<string, Field>> = {
  on: {
    label: 'Operation',
    options: [['*', 'every request'], ['GET *', 'every request that reads'], ...OPERATION_NAMES]
  },
  chance: { label: 'Share of requests', hint: 'From 0 to 1.' },
  for: {
    label: 'For',
    hint: `${LENGTH_HINT} By the clock of the sandbox: advance a frozen clock yourself.`
  },
  'hold.until': { label: 'Requests that wait' },
  'hold.release': {
    label: 'Order of release',
    hint: 'In order of arrival, or the last one first.',
    options: ['in_order', 'reverse']
  },
  'hold.gate': { label: 'Gate' },
  'hold.for': { label: 'Timeout', hint: `${LENGTH_HINT} Empty for no limit.` },
  'delay.min': { label: 'Minimum', hint: LENGTH_HINT },
  'delay.max': { label: 'Maximum', hint: LENGTH_HINT },
  calls: {
    label: 'Nth request',
    hint: '1, 2-3, or 4+ for all from the fourth. Empty for all.'
  },
  'match.body.ticket': { label: 'Ticket', hint: 'Empty for any.' },
  'match.body.card.last4': { label: 'Last four digits', hint: 'Empty for any card.' },
  'respond.error.code': {
    label: 'Code',
    list: [
      'card_declined',
      'insufficient_funds',
      'expired_card',
      'incorrect_cvc',
      'processing_error'
    ]
  },
  'respond.error.message': { label: 'Message' },
  'respond.status': { label: 'Status' },
  'respond.retry_after': { label: 'Retry-After', hint: `${LENGTH_HINT} Empty for no such header.` },
  fault: {
    label: 'Fault',
    options: [
      ['', 'none'],
      'connection_reset',
      'empty_response',
      'truncated_body',
      'malformed_body',
      'hang'
    ]
  },
  when: {
    label: 'When',
    hint: 'After or before the request takes effect.',
    options: ['after', 'before']
  }
}

export const PRESETS = {
  decline: {
    title: 'Decline a card',
    about: 'The payment is refused before it is made.',
    values: {
      name: 'card payments are declined',
      on: 'POST /transactions',
      'match.body.payment_type': 'card',
      'match.body.ticket': '',
      'match.body.card.last4': '',
      calls: '1',
      'respond.status': '402',
      'respond.error.type': 'card_error',
      'respond.error.code': 'card_declined',
      'respond.error.message': 'The card was declined.'
    }
  },
  lose: {
    title: 'Lose a response',
    about:
      'The request takes effect, and its response never arrives. Does your client look before it retries?',
    values: {
      name: 'the response is lost',
      on: 'POST /refunds',
      calls: '1',
      fault: 'connection_reset',
      when: 'after'
    }
  },
  down: {
    title: '10-second outage',
    about: 'From the next request on, every response is an error until the time is up.',
    values: {
      name: 'the service is down',
      on: '*',
      for: '10s',
      'respond.status': '503',
      'respond.retry_after': '10s'
    }
  },
  hold: {
    title: 'Hold until 2 requests arrive',
    about: 'Requests wait until this many have come, then go on together: a race, every time.',
    values: {
      name: 'requests wait for each other',
      on: 'POST /refunds',
      'hold.until': '2',
      'hold.release': 'in_order',
      'hold.for': '30s'
    }
  },
  gate: {
    title: 'Hold at a gate',
    about: 'Requests wait until you open the gate below.',
    values: {
      name: 'requests wait at a gate',
      on: 'POST /refunds',
      'hold.gate': 'refunds',
      'hold.for': '30s'
    }
  },
  slow: {
    title: 'Slow reads',
    about: 'Each response takes between the minimum and the maximum, drawn from the seed.',
    values: {
      name: 'responses are slow',
      on: 'GET *',
      calls: '',
      'delay.min': '500ms',
      'delay.max': '3s'
    }
  },
  flaky: {
    title: 'Random failures',
    about: 'A share of the requests fails, drawn from the seed: the same ones every time.',
    values: {
      name: 'requests fail now and then',
      on: '*',
      chance: '0.2',
      'respond.status': '503',
      fault: ''
    }
  },
  own: {
    title: 'Custom',
    about: 'In the YAML you can write all that a script entry can do.',
    values: { on: 'GET /tickets', calls: '', 'respond.status': '500' }
  }
} satisfies Record<string, Preset>

/**
 * The entry of which these values are given; a response without an error of its own has that of its
 * status.
 */
export function entryOf(values: Values): object {
  const entry: Record<string, unknown> = {}
  for (const [path, text] of Object.entries(values)) {
    const value = text.trim()
    if (value === '') continue
    const names = path.split('.')
    const last = names.pop() as string
    let part = entry
    for (const name of names) {
      part[name] ??= {}
      part = part[name] as typeof entry
    }
    part[last] = NUMBERS.includes(path) ? typedValue(value, { type: 'number' }) : value
    if (path === 'respond.status') part.error = {}
  }
  return entry
}

/** Whether a problem at a path belongs to a field: its value is there, above or below. */
export const isAt = (path: string, field: string): boolean =>
  path !== '' && (path.startsWith(field) || field.startsWith(path))
