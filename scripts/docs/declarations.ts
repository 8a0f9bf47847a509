/**
 * Writes the JSON Schemas of documents, records, settings and control responses as TypeScript, so
 * that an editor completes what the emulator checks.
 */
import type { TSchema } from 'typebox'
import { CONTROL_GROUPS } from '../../src/control/requests.js'
import type { Row } from '../../src/control/row.js'
import { CATALOGUE } from '../../src/core/errors.js'
import { CONTROL } from '../../src/core/paths.js'
import { SETTINGS, settingsSchema } from '../../src/core/settings.js'
import { FINDINGS } from '../../src/evidence/findings.js'
import { ACCOUNT_TYPES } from '../../src/reference/accounts.js'
import { ASSUMPTIONS } from '../../src/reference/assumptions.js'
import { type Family, OPERATION_NAMES, RESOURCE_NAMES } from '../../src/reference/operations.js'
import type { Schema } from '../../src/reference/parameters.js'
import { PAYMENT_TYPES } from '../../src/reference/payment-methods.js'
import { RULES } from '../../src/reference/rules.js'
import { RESOURCES } from '../../src/reference/tables.js'
import { fixtureSchema, withArticle } from '../../src/scenario/shape/parts.js'
import { isOfScenarios, scenarioSchema } from '../../src/scenario/shape/scenario.js'

/**
 * A schema with what the writer looks at besides: `x-type` is a type as it is written, `x-name` the
 * name of one that is declared.
 */
type Written = Schema & {
  default?: unknown
  then?: Schema
  else?: Schema
  'x-type'?: string
  'x-name'?: string
}
type Named = Readonly<Record<string, { about: string; schema: Schema }>>

const INDENT = '  '
const MAX_LINE = 160

/** What a value of each type of JSON is in TypeScript; lists and objects depend on their schema. */
const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null'
}

const spaced = (type: string) => (type.startsWith('\n') ? type : ` ${type}`)
const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))
const nameOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)

/** A union; of many words, each on a line of its own. */
function unionOf(members: readonly string[], indent: string): string {
  const line = [...new Set(members)].join(' | ')
  const isShort = line.includes('\n') || line.length <= MAX_LINE / 2
  return isShort ? line : line.replaceAll(/(^| \| )/g, `\n${indent}${INDENT}| `)
}

function comment({ description, default: fallback }: Written, indent: string): string {
  const text = [description, fallback !== undefined && `@default ${JSON.stringify(fallback)}`]
    .filter(Boolean)
    .join(' ')
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`
}

/** What tells one schema from another: its words but what it says of itself. */
const textOf = (schema: Schema) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(schema).filter(([word]) => word !== 'description' && !word.startsWith('x-'))
    )
  )
const textsOf = (named: Named) =>
  new Map(
    Object.entries(named).flatMap(([name, { schema }]) =>
      'x-type' in schema ? [] : [[textOf(schema), name] as const]
    )
  )

/**
 * Declares types: `roots`, and those that parts of these name. `names` are those of other schemas
 * that have a type of their own, by their texts; `isInput`
 * writes lists that may be constant.
 */
function declared(roots: Named, names: ReadonlyMap<string, string>, isInput: boolean): string[] {
  const types = new Map(Object.entries(roots))
  const listOf = (type: string) => (isInput ? `readonly ${type}[]` : `${type}[]`)

  function inner(schema: Written, indent: string): string {
    const { 'x-name': name, description: about = '' } = schema
    if (name === undefined) return names.get(textOf(schema)) ?? written(schema, indent)
    if (!types.has(name)) types.set(name, { about, schema })
    return name
  }

  function written(schema: Written, indent = ''): string {
    const { type, enum: words, then: ofObject, else: otherwise, 'x-type': own } = schema
    if (own !== undefined) return own
    if (ofObject !== undefined && otherwise !== undefined)
      return unionOf([inner(ofObject, indent), inner(otherwise, indent)], indent)
    if (words !== undefined) return unionOf(words.map(literal), indent)
    if (type === undefined) return 'unknown'
    const members = [type].flat().map(one => {
      if (one === 'object') return objectIn(schema, indent)
      return one === 'array' ? listIn(schema, indent) : (SCALARS[one] as string)
    })
    return unionOf(members, indent)
  }

  function listIn({ items = {} }: Schema, indent: string): string {
    const type = inner(items, indent)
    return listOf(/ [|&] /.test(type) ? `(${type})` : type)
  }

  function objectIn(
    { properties, additionalProperties, required = [] }: Schema,
    indent: string
  ): string {
    const deeper = indent + INDENT
    if (properties !== undefined) {
      const lines = Object.entries(properties).map(
        ([name, schema]) =>
          `${comment(schema, deeper)}${deeper}${nameOf(name)}${required.includes(name) ? '' : '?'}:${spaced(inner(schema, deeper))}`
      )
      // other names have a type that those of the known ones are of too
      const others =
        typeof additionalProperties === 'object' &&
        [additionalProperties, ...Object.values(properties)].map(schema => inner(schema, deeper))
      if (others)
        lines.push(`${deeper}[name: string]:${spaced(unionOf([...others, 'undefined'], deeper))}`)
      return `{\n${lines.join('\n')}\n${indent}}`
    }
    return `{ [name: string]: ${typeof additionalProperties === 'object' ? inner(additionalProperties, indent) : 'unknown'} }`
  }

  // goes on to those that are added meanwhile
  return Array.from(types, ([name, { about, schema }]) => declaration(name, about, written(schema)))
}

const declaration = (name: string, about: string, type: string) =>
  `${about && `/** ${about} */\n`}export type ${name} =${spaced(type)}\n`

/** Every setting by its key, and nested by the dots of it. */
function settingsType(): Schema {
  const { properties } = settingsSchema(() => true) as Schema
  const flat = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { schema, about, default: fallback }]) => [
      key,
      { ...schema, description: about, default: fallback }
    ])
  )
  return { type: 'object', properties: { ...flat, ...properties } }
}

const ROWS = Object.assign(
  {},
  ...CONTROL_GROUPS.map(({ rows }) => rows)
) as (typeof CONTROL_GROUPS)[number]['rows']

/** The type of a response, by its name; of a list, those of its members. */
function answerType(answer: TSchema | undefined, none: string): string {
  const { 'x-name': name, 'x-type': type, properties } = (answer ?? {}) as Written
  const items = properties?.data?.items as TSchema | undefined
  return name ?? type ?? (items ? `{ data: ${answerType(items, none)}[] }` : none)
}

/** The first sentence of what a request does, without links to the pages of the documentation. */
const sentenceOf = (does: string) =>
  does.replace(/: \[[^\]]+\]\([^)]+\)|\[([^\]]+)\]\([^)]+\)/g, '$1').split(/(?<=\.) /)[0] as string
const requestName = (on: string) => `\`${on.replace(' ', ` ${CONTROL}`).replace(/\/$/, '')}\``

/** The schemas that have a name, by it; of responses, and of their items, with the request. */
function answersOf(rows: Readonly<Record<string, Row>>): Named {
  const named: Record<string, Named[string]> = {}
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const { 'x-name': name } = part as Written
    if (name !== undefined) named[name] ??= { about: '', schema: part as Schema }
    for (const inner of Object.values(part)) look(inner)
  }
  for (const [on, { response: answer, does }] of Object.entries(rows)) {
    const whole = (answer ?? {}) as Written
    const items = whole.properties?.data?.items as Written | undefined
    for (const [what, schema] of [
      ['The response', whole],
      ['An item', items ?? {}]
    ] as const) {
      const { 'x-name': name } = schema
      const about = `${what} of ${requestName(on)}, which ${sentenceOf(does).replace(/^./, first => first.toLowerCase())}`
      if (name !== undefined) named[name] ??= { about, schema }
    }
  }
  // those inside of others, such as the clock, may have a request of their own
  look(Object.values(rows).map(({ response: answer }) => answer))
  return named
}

/**
 * The text of the module `src/client/documents.ts`, which the build writes, from the tables of the
 * emulator.
 */
export function declarations(): string {
  const words: Readonly<Record<string, [about: string, members: readonly string[]]>> = {
    OperationName: ['An operation of the reference: a method and a path.', OPERATION_NAMES],
    Family: ['A family of records.', Object.keys(RESOURCE_NAMES)],
    PaymentType: ['How a Transaction is paid.', PAYMENT_TYPES],
    AccountType: ['What an Account is.', ACCOUNT_TYPES],
    RuleId: ['A rule of the reference.', Object.keys(RULES)],
    AssumptionId: ['An assumption of the emulator.', Object.keys(ASSUMPTIONS)],
    FindingName: ['A mistake that a client can make.', Object.keys(FINDINGS)],
    RefusalCode: ['The code of a refusal, of the API or the control API.', Object.keys(CATALOGUE)]
  }
  const ofWords = Object.entries(words).map(([name, [, members]]): [string, string] => [
    textOf({ type: 'string', enum: members }),
    name
  ])
  ofWords.push([
    textOf({ type: 'string', enum: ['*', ...OPERATION_NAMES] }),
    'OperationName | `${string}*${string}`'
  ])
  const settings = settingsSchema(isOfScenarios) as Schema
  const inputs: Named = {
    Fixture: {
      about:
        'A fixture: records of each family, and API keys. What a record leaves out is filled in.',
      schema: fixtureSchema()
    },
    Scenario: { about: 'A scenario: fixtures plus behaviour.', schema: scenarioSchema() as Schema },
    SandboxSettings: { about: 'The settings that a scenario can give.', schema: settings },
    Settings: {
      about: 'Every setting, by key as on the command line, or nested.',
      schema: settingsType()
    }
  }
  const answers: Named = {
    ...Object.fromEntries(
      Object.entries(RESOURCE_NAMES).map(([family, name]) => [
        name,
        {
          about: `${withArticle(name)} as the API returns it.`,
          schema: RESOURCES[family as Family]
        }
      ])
    ),
    ...answersOf(ROWS)
  }
  const byRequest = Object.entries(ROWS).map(
    ([on, { response: answer }]) => `${INDENT}'${on}': ${answerType(answer, 'unknown')}\n`
  )
  return [
    '/** What documents, records, settings, control responses and names look like: written by the build from the tables that the emulator checks them by. */\n',
    ...declared(inputs, new Map([...textsOf(inputs), ...ofWords]), true),
    ...declared(answers, new Map([...textsOf(answers), ...ofWords]), false),
    ...Object.entries(words).map(([name, [about, members]]) =>
      declaration(name, about, unionOf(members.map(literal), ''))
    ),
    declaration(
      'Answers',
      'What each control request returns as JSON.',
      `{\n${byRequest.join('')}}`
    )
  ].join('\n')
}

/**
 * The methods of the package's object that are a control request: the request, and the errors that
 * are its own.
 */
const METHODS: Readonly<Record<string, readonly [on: string, errors?: string]>> = {
  'reset()': ['POST /reset', 'sandbox_limit'],
  'load(scenario: string | Scenario | Fixture, options?: LoadOptions)': [
    'POST /load',
    'document_invalid document_too_large scenario_unknown'
  ],
  'state(moment?: Moment)': [
    'GET /state',
    'sandbox_unknown request_unknown state_unknown parameter_invalid'
  ],
  'records(fixture: Fixture)': ['POST /records', 'document_invalid document_too_large'],
  'deleteRecord(family: Family, id: string)': [
    'DELETE /records/FAMILY/ID',
    'record_unknown record_in_use'
  ],
  'snapshot(name: string)': ['PUT /snapshots/NAME', 'name_invalid limit_reached'],
  'restore(name: string)': [
    'POST /snapshots/NAME/restore',
    'snapshot_unknown name_invalid account_unknown'
  ],
  'clock.now()': ['GET /clock', 'sandbox_unknown'],
  'clock.set(clock: { now?: string | Date; running?: boolean })': [
    'PUT /clock',
    'document_invalid body_malformed'
  ],
  'clock.advance(by: string)': ['POST /clock/advance', 'document_invalid body_malformed'],
  'script.add(entry: ScriptEntry)': ['POST /script', 'document_invalid limit_reached'],
  'script.list()': ['GET /script', 'sandbox_unknown'],
  'script.remove(id: string)': ['DELETE /script/ID', 'entry_unknown'],
  'script.clear()': ['DELETE /script'],
  'gates.list()': ['GET /gates', 'sandbox_unknown'],
  'gates.open(name: string, options?: { release?: Release })': [
    'POST /gates/NAME/open',
    'gate_unknown'
  ],
  'requests(filter?: JournalFilter)': ['GET /requests', 'parameter_invalid sandbox_unknown'],
  'why(id: string)': ['GET /requests/ID', 'request_unknown'],
  'explain(on: string, options?: InjectOptions)': [
    'POST /explain',
    'option_invalid document_invalid setting_invalid parameter_invalid sandbox_unknown'
  ],
  'verify(expectation?: Verification)': [
    'POST /verify',
    'expectation_unmet document_invalid journal_incomplete limit_reached state_replaced'
  ],
  'coverage(scope?: Scope)': ['GET /coverage'],
  'findings(scope?: Scope)': ['GET /findings']
}

/**
 * The text of `src/client/methods.ts`: the type of each method of the package's object, from the
 * row of its control request.
 */
export function methods(): string {
  const named = new Set<string>()
  const lines = Object.entries(METHODS).map(([signature, [on, errors]]) => {
    const { does, response: answer } = ROWS[on] as (typeof ROWS)[string]
    const [, group, name, parameters] = /^(?:(\w+)\.)?(\w+)(\(.*\))$/.exec(
      signature
    ) as RegExpExecArray
    const type = answerType(answer, 'void')
    for (const [used] of `${parameters} ${type}`.matchAll(/\b[A-Z]\w+/g))
      if (used !== 'Date') named.add(used)
    const refusals = errors === undefined ? '' : ` Errors: \`${errors.replaceAll(' ', '`, `')}\`.`
    const indent = group === undefined ? INDENT : INDENT + INDENT
    const text = `${indent}/** ${sentenceOf(does)} ${requestName(on)}.${refusals} */\n${indent}${name}: ${parameters} => Promise<${type}>\n`
    return { group, text }
  })
  const groups = [...new Set(lines.map(({ group }) => group))]
  const body = groups.map(group => {
    const own = lines.filter(line => line.group === group).map(({ text }) => text)
    return group === undefined
      ? own.join('')
      : `${INDENT}readonly ${group}: {\n${own.join('')}${INDENT}}\n`
  })
  const [documents, options] = [true, false].map(isDocument =>
    [...named].filter(name => OPTIONS.includes(name) !== isDocument).sort()
  )
  return [
    '/** The methods of the package that are control requests: written by the build from the rows of those. */',
    `import type {\n${documents?.map(name => `${INDENT}${name}`).join(',\n')}\n} from './documents.js'`,
    `import type { ${options?.join(', ')} } from './options.js'\n`,
    `export type Methods = {\n${body.join('')}}\n`
  ].join('\n')
}

/** The types that are written by hand. */
const OPTIONS = [
  'LoadOptions',
  'Moment',
  'Release',
  'JournalFilter',
  'InjectOptions',
  'Verification',
  'Scope'
]
