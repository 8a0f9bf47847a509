/** Script entries to begin with. */
import { yamlOf } from '../../components/yaml.js'

type Preset = { title: string; about: string; entry: object; notes?: string }
export const DECLINED = {
  status: 402,
  error: { type: 'card_error', code: 'card_declined', message: 'The card was declined.' }
}

const LENGTH = '# Timeout: a duration, such as 250ms, 30s or 10m.\n'
const NTH = '# Nth request (calls): 1, 2-3, or 4+ for all from the fourth. Leave it out for all.\n'

export const PRESETS = {
  decline: {
    title: 'Decline a card',
    about: 'The payment is refused, and nothing is charged.',
    entry: {
      name: 'card payments are declined',
      on: 'POST /transactions',
      match: { body: { payment_type: 'card' } },
      calls: 1,
      respond: DECLINED
    },
    notes: `${NTH}# Also match a ticket, or card: { last4: "4242" }.\n`
  },
  lose: {
    title: 'Lose a response',
    about: 'The request takes effect, but its response never arrives.',
    entry: {
      name: 'the response is lost',
      on: 'POST /refunds',
      calls: 1,
      fault: 'connection_reset',
      when: 'after'
    },
    notes: NTH
  },
  down: {
    title: '10-second outage',
    about: 'From the next request on, every response is an error until the time is up.',
    entry: {
      name: 'the service is down',
      on: '*',
      for: '10s',
      respond: { status: 503, error: {}, retry_after: '10s' }
    },
    notes: "# By the sandbox's clock: advance a frozen clock yourself.\n"
  },
  hold: {
    title: 'Hold until 2 requests arrive',
    about:
      'Requests wait until this many have arrived, then continue together: a race, every time.',
    entry: {
      name: 'requests wait for each other',
      on: 'POST /refunds',
      hold: { until: 2, release: 'in_order', for: '30s' }
    },
    notes: LENGTH
  },
  gate: {
    title: 'Hold at a gate',
    about: 'Requests wait until you open the gate.',
    entry: {
      name: 'requests wait at a gate',
      on: 'POST /refunds',
      hold: { gate: 'refunds', for: '30s' }
    },
    notes: LENGTH
  },
  slow: {
    title: 'Slow reads',
    about: 'Each response takes between the minimum and the maximum, drawn from the seed.',
    entry: { name: 'responses are slow', on: 'GET *', delay: { min: '500ms', max: '3s' } }
  },
  flaky: {
    title: 'Random failures',
    about: 'A share of the requests fails, drawn from the seed: the same requests every time.',
    entry: {
      name: 'requests fail now and then',
      on: '*',
      chance: 0.2,
      respond: { status: 503, error: {} }
    }
  },
  own: {
    title: 'Custom',
    about: 'Ctrl+Space completes all that a script entry can do.',
    entry: { on: 'GET /tickets', respond: { status: 500, error: {} } }
  }
} satisfies Readonly<Record<string, Preset>>

export const presetText = ({ entry, notes = '' }: Preset): string => `${yamlOf(entry)}${notes}`
