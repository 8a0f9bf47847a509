/** What a coding agent can do with an emulator. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Static, TObject, TProperties } from 'typebox'
import * as Type from 'typebox'
import type { Emulator } from '../../client/emulator.js'
import type { InjectOptions, JournalFilter } from '../../client/options.js'
import { CONTROL_GROUPS } from '../../control/requests.js'
import { NAMED_PARTS, type Row } from '../../control/row.js'
import { OPERATION_NAMES } from '../../reference/operations.js'
import { closed, nullable, optional, word } from '../../reference/parameters.js'
import { RULE_IDS } from '../../reference/rules.js'
import { checkText } from '../../reports/text.js'
import { check } from '../check/check.js'

export type Tool = {
  about: string
  input: TObject
  isReading: boolean
  run: (emulator: Emulator, input: never) => Promise<unknown>
}

const text = (description: string, more: Type.TStringOptions = {}) =>
  Type.String({ minLength: 1, description, ...more })
const object = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', description })

const SANDBOX = {
  sandbox: optional(text('The name of a sandbox; by default, the sandbox at the base address.'))
}
const FROM = {
  from: optional(
    Type.Integer({ minimum: 0, description: 'Offset at which to continue a long response.' })
  )
}

const tool = <P extends TProperties>(
  about: string,
  properties: P,
  run: (emulator: Emulator, input: Static<TObject<P>>) => Promise<unknown>,
  isReading = true
): Tool => ({
  about,
  input: closed({ ...properties, ...SANDBOX, ...(isReading && FROM) }),
  isReading,
  run
})

/** Streams, and requests for browsers and editors. */
const OTHERS = /^\w+ \/(events|docs|openapi|schema|metrics|health)/
const ROWS = CONTROL_GROUPS.flatMap(({ rows }) => Object.entries(rows)).filter(
  ([on]) => !OTHERS.test(on)
)

/** The control requests that read, or those that change something. */
function control(about: string, isReading: boolean): Tool {
  const rows = ROWS.filter(([on]) => on.startsWith('GET ') === isReading)
  const patterns = rows.map(([on]) => on.replaceAll(NAMED_PARTS, '[^/?#]+'))
  return tool(
    [about, ...rows.map(lineOf)].join('\n'),
    {
      on: text('The method and path of one of them, such as GET /requests/req_1.', {
        pattern: `^(${patterns.join('|')})$`
      }),
      query: optional(object('Query parameters.')),
      ...(!isReading && { body: optional(object('The body, as JSON.')) })
    },
    (emulator, { on, ...options }) => emulator.control(on, options as object),
    isReading
  )
}

function lineOf([on, { does, query, body }]: [on: string, row: Row]): string {
  const names = Object.keys(Object(query).properties ?? {})
  return [
    `${on}: ${does.replace(/\[(.*?)\]\(.*?\)/g, '$1')}`,
    ...(names.length > 0 ? [`Query: ${names.join(', ')}.`] : []),
    ...(body ? [`Body: ${body.example}`] : [])
  ].join(' ')
}

async function checkScenario(scenario: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'scenario-'))
  try {
    const isDocument = /^\s*\{|: |\n/.test(scenario)
    const file = isDocument ? join(folder, 'scenario.yaml') : scenario
    if (isDocument) await writeFile(file, scenario)
    const launch = { flag: {}, environment: {} }
    const options = { against: null, keys: new Map(), variables: new Map(), timeout: 0 }
    return checkText(await check([file], { launch, ...options }))
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const TOOLS: Readonly<Record<string, Tool>> = {
  send_request: tool(
    `Send a request to the emulated API. GET /requests/ID explains its response, by its Request-Id. Operations: ${OPERATION_NAMES.join(', ')}.`,
    {
      on: text('Method and path below the base address, such as GET /tickets/tkt_1.'),
      query: optional(object('Query parameters; nested values as objects.')),
      body: optional(object('Form parameters; nested values as objects.')),
      key: optional(nullable(text('The API key; null sends none. By default the first key.')))
    },
    async (emulator, { on, ...options }) => {
      const { status, headers, body } = await emulator.inject(on, options as InjectOptions)
      return { status, request: headers['request-id'], body }
    },
    false
  ),
  list_requests: tool(
    'List the requests that the emulator received, newest first, one per line.',
    {
      status: optional(text('A status, or a class such as 4xx.')),
      rule: optional(
        word(RULE_IDS, { description: 'Only requests that passed or violated this rule.' })
      ),
      limit: optional(Type.Integer({ minimum: 1, maximum: 100, description: '20 by default.' }))
    },
    async (emulator, { limit = 20, ...filter }) => {
      const { data, has_more } = await emulator.requests({ limit, ...filter } as JournalFilter)
      const lines = data.map(({ id, method, path, status, outcome, refusal }) =>
        [id, method, path, status, outcome, refusal?.code, refusal?.rule].filter(Boolean).join(' ')
      )
      return [...lines, has_more ? 'There are older requests.' : 'There are no others.'].join('\n')
    }
  ),
  read: control('Read from the control API, with one of these requests.', true),
  change: control(
    'Load a scenario, reset, move the clock, add script entries, verify, and the like, with one of these requests of the control API.',
    false
  ),
  check: tool(
    'Play a scenario, such as GET /requests/ID returns with format=scenario, on a separate emulator, and check what it expects.',
    { scenario: text('The name of a scenario, or a whole document in YAML or JSON.') },
    (_, { scenario }) => checkScenario(scenario)
  )
}
