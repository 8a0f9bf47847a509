/**
 * Every setting: its schema, default, scope and what it does. The variable is the key in upper
 * snake case (`pagination.max_limit` → `PAGINATION_MAX_LIMIT`); `--set key=value` takes any of them.
 * Scope `process` belongs to the program; `sandbox` shapes responses and may be set in a scenario.
 */
import type { Static, TSchema } from 'typebox'
import * as Type from 'typebox'
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../reference/assumptions.js'
import { CURSORS, type Cursors } from '../reference/parameters.js'
import { each, isObject, keysOf } from '../reference/rules.js'
import { LIST_PARAMETERS } from '../reference/tables.js'
import {
  ERROR_RULE,
  ERROR_TEMPLATE,
  LIST_RULE,
  LIST_TEMPLATE,
  type Template,
  type TemplateRule
} from './templates.js'

type Scope = 'process' | 'sandbox'
type Setting<S extends TSchema = TSchema> = { schema: S; default: Static<S>; about: string }
/** `flag` is a command line flag of its own, `assumption` the one that it changes. */
type Scoped<T, C extends Scope> = {
  readonly [K in keyof T]: T[K] & {
    readonly scope: C
    readonly flag?: string | undefined
    readonly assumption?: AssumptionId | undefined
  }
}

const FLAGGED =
  'port host scenario fixtures_dir scenarios_dir snapshots_dir watch log_level data seed'.split(' ')

const setting = <S extends TSchema>(schema: S, fallback: Static<S>, about: string): Setting<S> => ({
  schema,
  default: fallback,
  about
})
function settingsOf<T extends Record<string, Setting>, C extends Scope>(
  scope: C,
  settings: T
): Scoped<T, C> {
  const scoped = Object.entries(settings).map(([key, setting]) => {
    const flag = FLAGGED.includes(key) ? `--${key.replaceAll('_', '-')}` : undefined
    const assumption = ASSUMPTION_IDS.find(id => ASSUMPTIONS[id].settings.includes(key))
    return [key, { ...setting, scope, flag, assumption }]
  })
  return Object.fromEntries(scoped)
}

/** The first word is the default. */
const choice = <T extends string>(words: readonly [T, ...T[]], about: string) =>
  setting(Type.Unsafe<T>({ type: 'string', enum: words }), words[0], about)
const text = Type.String({ minLength: 1 })
const flag = (fallback: boolean, about: string) => setting(Type.Boolean(), fallback, about)
const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
const orNull = (about: string, minLength = 1) =>
  setting(Type.Unsafe<string | null>({ type: ['string', 'null'], minLength }), null, about)
const prefix = (value: string, resource: string) =>
  setting(Type.String({ pattern: '^[A-Za-z0-9_-]{0,16}$' }), value, `Id prefix of a ${resource}.`)
const template = (rule: TemplateRule) =>
  Type.Unsafe<Template>({ type: 'object', 'x-template': rule })
const named = ({ placeholders }: TemplateRule) => placeholders.map(name => `\`${name}\``).join(', ')
const cursorName = {
  type: 'string',
  pattern: `^(?!(?:${LIST_PARAMETERS.join('|')})$)[A-Za-z]\\w{0,63}$`,
  'x-expected': `a name of letters, digits and underscores other than ${LIST_PARAMETERS.join(', ')}`
}
const most = (minimum: number, maximum: number, value: number, what: string) =>
  setting(whole(minimum, maximum), value, `Maximum ${what}`)
const limit = (value: number, what: string, minimum = 1) => most(minimum, 2 ** 30, value, what)
const status = (value: number, about: string) => setting(whole(400, 499), value, about)

const MIB = 2 ** 20

const PROCESS_SETTINGS = settingsOf('process', {
  port: setting(whole(0, 65_535), 4010, 'Port to listen on; 0 picks a free one.'),
  host: setting(text, '127.0.0.1', 'Address to bind.'),
  scenario: setting(text, 'default', 'Scenario to load at start: a name or a file path.'),
  fixtures_dir: orNull('Folder with your own fixtures, searched before the built-in ones.'),
  scenarios_dir: orNull('Folder with your own scenarios, searched before the built-in ones.'),
  snapshots_dir: orNull('Folder that keeps snapshots across restarts.'),
  watch: flag(false, 'Reloads the scenario when one of its files changes.'),
  log_level: choice(
    ['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent'],
    'Minimum level of the log, which goes to stderr.'
  ),
  cors: flag(true, 'Whether pages of other origins may use the emulated API (CORS).'),
  control_token: orNull(
    'When set, control requests need `Authorization: Bearer TOKEN`. At least 16 characters.',
    16
  ),
  control_hosts: setting(
    Type.Array(text),
    [],
    'Further Host names that may reach the control API.'
  ),
  'limits.body': limit(
    MIB,
    'bytes of a body, except documents of control requests. Set it as the service does.'
  ),
  'limits.parameters': limit(
    1000,
    'number of parameters in a form or query. Set it as the service does.'
  ),
  'limits.depth': most(1, 32, 4, 'nesting of a parameter name. Set it as the service does.'),
  'limits.control_body': limit(
    16 * MIB,
    'bytes of a document in a control request. Raise it for larger scenarios.'
  ),
  'limits.values': limit(
    5_000_000,
    'number of values in a document. Raise it with limits.control_body.'
  ),
  'limits.records': limit(
    100_000,
    'number of records of a document or sandbox. Raise it for larger fixtures, which take more memory.'
  ),
  'limits.entries': limit(
    1000,
    'number of script entries, and of items of a list. Raise it for generated scripts.'
  ),
  'limits.journal': limit(
    1000,
    'number of requests in the journal of a sandbox. Raise it to verify long runs.'
  ),
  'limits.journal_bytes': limit(
    16 * MIB,
    'bytes of the journal of a sandbox; all journals together have eight times as much, and the largest drops requests first. Raise it with limits.journal.'
  ),
  'limits.waiting': limit(
    100,
    'number of open event streams of a sandbox, of waiting verify requests, and of requests that its script holds. Raise it for many test workers in one sandbox.',
    0
  ),
  'limits.sandboxes': limit(256, 'number of named sandboxes. Raise it for more test workers.', 0),
  'limits.connections': limit(
    10_000,
    'number of open connections. Lower it where the system allows fewer.'
  ),
  'limits.request_timeout': limit(
    30_000,
    'milliseconds for a request to arrive. Raise it for a client that a debugger stops.',
    0
  ),
  'limits.shutdown': limit(
    1000,
    'milliseconds that a shutdown waits for requests. Raise it to let slow requests end.',
    0
  ),
  'sandboxes.evict_idle': flag(
    false,
    'Whether, when limits.sandboxes is reached, a new sandbox replaces the least recently used idle one. For test runners that delete no sandboxes.'
  ),
  data: orNull('Folder that keeps the state of every sandbox across restarts.')
})
const SANDBOX_SETTINGS = settingsOf('sandbox', {
  seed: setting(whole(0, 4_294_967_295), 1, 'Seed for generated ids and keys.'),
  'ids.prefixes.merchant': prefix('mch_', 'merchant Account'),
  'ids.prefixes.reseller': prefix('rsl_', 'reseller Account'),
  'ids.prefixes.location': prefix('loc_', 'Location'),
  'ids.prefixes.ticket': prefix('tkt_', 'Ticket'),
  'ids.prefixes.transaction': prefix('txn_', 'Transaction'),
  'ids.prefixes.user': prefix('usr_', 'User'),
  'ids.prefixes.refund': prefix('rfd_', 'Refund'),
  'ids.length': setting(whole(8, 64), 24, 'Letters and digits after the prefix of an id.'),
  'shapes.list': setting(
    template(LIST_RULE),
    LIST_TEMPLATE,
    `Template of the list object, also of the Refunds in a Transaction. Placeholders: ${named(LIST_RULE)}; \`$members\` must be there once.`
  ),
  'shapes.error': setting(
    template(ERROR_RULE),
    ERROR_TEMPLATE,
    `Template of the error body. Placeholders: ${named(ERROR_RULE)}; one without a value is left out.`
  ),
  'statuses.created': setting(
    Type.Unsafe<200 | 201>({ type: 'integer', enum: [200, 201] }),
    200,
    'Status of a successful create.'
  ),
  'statuses.invalid': status(400, 'Status of a malformed or invalid request.'),
  'statuses.unauthenticated': status(401, 'Status of a request without a known key.'),
  'statuses.forbidden': status(403, 'Status when a reseller creates a Location.'),
  'statuses.missing': status(404, 'Status when the resource in the path does not exist.'),
  'statuses.reference_missing': status(400, 'Status when the body names no existing resource.'),
  'statuses.refund_refused': status(400, 'Status of a refused Refund.'),
  'errors.expose_rule': flag(true, 'Whether an error names its rule or assumption.'),
  'pagination.default_limit': setting(whole(1, 1000), 10, 'Page size without `limit`.'),
  'pagination.max_limit': most(1, 1000, 100, '`limit`.'),
  'pagination.out_of_range': choice(['reject', 'clamp'], 'What happens to a `limit` out of range.'),
  'pagination.cursors': setting(
    Type.Unsafe<Cursors>({
      type: 'array',
      minItems: 2,
      maxItems: 2,
      uniqueItems: true,
      items: cursorName
    }),
    CURSORS,
    'Names of the two cursors in the query of a list: the page starts after the record that the first names, or ends before the record that the second names.'
  ),
  'pagination.order': choice(
    ['newest_first', 'oldest_first'],
    'Order of every list except Refunds, whose order the reference documents.'
  ),
  'search.reference': choice(
    ['contains', 'prefix', 'exact'],
    'How `search_query` matches a Ticket reference, ignoring case.'
  ),
  'search.last4': choice(
    ['exact', 'contains', 'prefix'],
    'How `search_query` matches the last four digits of a card.'
  ),
  'parameters.unknown': choice(
    ['reject', 'warn', 'ignore'],
    'What happens to a parameter that the reference does not have; `warn` drops it and reports it in a Warning header and in the log.'
  ),
  'parameters.not_updatable': choice(
    ['reject', 'ignore'],
    'What happens to a parameter that cannot be updated.'
  ),
  'parameters.unset_required': choice(
    ['allow', 'reject'],
    'Whether an update may unset a parameter that the create requires.'
  ),
  'auth.accept_any_key': orNull('Account id; when set, every key acts as this Account.'),
  'auth.visibility': choice(
    ['open', 'scoped'],
    'Whether a key sees everything, or only what belongs to its Account.'
  ),
  'auth.payment_key': choice(
    ['ignore', 'check'],
    'What happens to a key sent to POST /transactions; `check` refuses an invalid key.'
  ),
  'evidence.test_header': setting(
    Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }),
    'Test-Name',
    'Header that names the test a request belongs to, for the reports of a run.'
  ),
  'refunds.empty_amount': choice(
    ['reject', 'remainder'],
    'What an empty `amount` of a Refund does.'
  ),
  'refunds.without_card': choice(
    ['allow', 'reject'],
    'What a Refund of a payment that charged no card does.'
  ),
  'transactions.default_currency': setting(
    Type.String({ format: 'default_currency' }),
    'usd',
    'Currency when a request has none; `required` refuses such a request.'
  ),
  'transactions.without_amount': choice(
    ['zero', 'reject'],
    'What a payment without any amount does.'
  ),
  'transactions.refundable': choice(
    ['amount', 'amount_plus_extras'],
    'What can be refunded: the amount, or the amount with tip and donation.'
  )
})
export const SETTINGS = { ...PROCESS_SETTINGS, ...SANDBOX_SETTINGS }

export type SettingKey = keyof typeof SETTINGS
type Widened<T> = T extends boolean ? boolean : T
export type Settings = {
  readonly [K in SettingKey]: Widened<Static<(typeof SETTINGS)[K]['schema']>>
}
type SettingSource = 'flag' | 'environment' | 'control' | 'scenario' | 'default'
/** The values of one source. */
export type GivenSettings = Partial<Settings>

export const SETTING_KEYS = keysOf(SETTINGS)

export const variableOf = (key: SettingKey): string => key.toUpperCase().replaceAll('.', '_')

/** The path in a scenario; null for a process setting. */
export function scenarioPathOf(key: SettingKey): string | null {
  if (SETTINGS[key].scope === 'process') return null
  return key === 'seed' ? 'seed' : `settings.${key}`
}

export type SettingsInForce = {
  values: Settings
  sources: Readonly<Record<SettingKey, SettingSource>>
}
export type SettingLayers = Partial<Record<Exclude<SettingSource, 'default'>, GivenSettings>>

/**
 * In this order: the control API (until the next load or reset), flag, environment, scenario,
 * default.
 */
export function settingsInForce(layers: SettingLayers): SettingsInForce {
  const values: Record<string, unknown> = {}
  const sources = each(SETTING_KEYS, key => {
    const source = (['control', 'flag', 'environment', 'scenario'] as const).find(
      place => layers[place]?.[key] !== undefined
    )
    values[key] = source ? layers[source]?.[key] : SETTINGS[key].default
    return source ?? 'default'
  })
  return { values: values as Settings, sources }
}

type JsonSchema = Record<string, unknown>
type IsWanted = (key: SettingKey) => boolean

/** The JSON Schema of settings by their flat keys. */
export const flatSettingsSchema = (isWanted: IsWanted): JsonSchema =>
  closedSchema(each(SETTING_KEYS.filter(isWanted), keySchema), PROCESS_KEYS)

/** The JSON Schema of settings, nested by the dots of their keys. */
export const settingsSchema = (isWanted: IsWanted): JsonSchema =>
  closedSchema(
    groupSchemas(SETTING_KEYS.filter(isWanted), ''),
    PROCESS_KEYS.map(key => key.replace(/\..*/, ''))
  )

const PROCESS_KEYS = keysOf(PROCESS_SETTINGS)

/** `atStart` are settings of the process and groups of them, with what `--set` takes. */
const closedSchema = (properties: object, atStart?: readonly string[]): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(atStart && {
    'x-at-start': each(atStart, name => `${name}${name in SETTINGS ? '=' : '.'}…`)
  })
})

function keySchema(key: SettingKey): JsonSchema {
  const { schema, about, default: fallback } = SETTINGS[key]
  return { ...schema, description: about, default: fallback }
}

function groupSchemas(keys: readonly SettingKey[], under: string): JsonSchema {
  const schemas: JsonSchema = {}
  for (const key of keys) {
    const [name = '', ...rest] = key.slice(under.length).split('.')
    const group = `${under}${name}.`
    schemas[name] ??=
      rest.length === 0
        ? keySchema(key)
        : closedSchema(
            groupSchemas(
              keys.filter(key => key.startsWith(group)),
              group
            )
          )
  }
  return schemas
}

/**
 * A nested settings object as flat keys: `{pagination: {max_limit: 5}}` → `{'pagination.max_limit':
 * 5}`. Keys with dots stay as they are.
 */
export function flattened(nested: object, under = ''): Record<string, unknown> {
  const flat: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(nested)) {
    const key = `${under}${name}`
    const isGroup = isObject(value) && !Object.hasOwn(SETTINGS, key)
    if (isGroup) Object.assign(flat, flattened(value, `${key}.`))
    else flat[key] = value
  }
  return flat
}

/** Settings by flat keys as a nested object, the reverse of {@link flattened}. */
export function nested(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(settings)) {
    const steps = key.split('.')
    const last = String(steps.pop())
    let group = root
    for (const step of steps) {
      group[step] ??= {}
      group = group[step] as Record<string, unknown>
    }
    group[last] = value
  }
  return root
}
