/** What a coding agent can do with an emulator. */
import type { Static, TObject, TProperties } from 'typebox'
import * as Type from 'typebox'
import type { Emulator } from '../../client/emulator.js'
import { EmulatorError } from '../../client/error.js'
import type { InjectOptions, Verification } from '../../client/options.js'
import { ERRORS } from '../../client/sentences.js'
import { BASE } from '../../core/paths.js'
import { FINDINGS } from '../../evidence/findings.js'
import { OPERATION_NAMES } from '../../reference/operations.js'
import { closed, nullable, optional, word } from '../../reference/parameters.js'
import { RULE_IDS } from '../../reference/rules.js'
import { checkScenario, documentIn } from './scenario-text.js'

export type Tool = {
  about: string
  input: TObject
  isReading: boolean
  run: (emulator: Emulator, input: never) => Promise<unknown>
}

const text = (description: string) => Type.String({ minLength: 1, description })
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
const SCENARIO = {
  scenario: text('A name that list_scenarios lists, or a whole document in YAML or JSON.')
}
const ID = { id: text('A Request-Id such as req_3, or a name from a report such as till#2/req_3.') }

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

const ofRequest = (
  about: string,
  show: (emulator: Emulator, id: string) => Promise<unknown>,
  isKept = false
) =>
  tool(about, ID, async (emulator, { id }) => {
    const [, name, period, idInPeriod] = /^(.*)#(\d+)\/(.+)$/.exec(id) ?? []
    if (idInPeriod === undefined) return show(emulator, id)
    const { sandboxes, requests } = await emulator.report()
    const entry = requests.find(({ request }) => request === id)?.entry
    if (isKept && entry) return entry
    if (
      sandboxes.some(
        ({ sandbox, periods }) => (sandbox ?? '') === name && periods === Number(period)
      )
    )
      return show(name ? emulator.sandbox(name) : emulator, idInPeriod)
    throw new EmulatorError('request_unknown', `A load or reset has removed ${id}.`)
  })

export const TOOLS: Readonly<Record<string, Tool>> = {
  list_scenarios: tool(
    'List the scenarios and fixtures that can be loaded by name, each with its description.',
    {},
    emulator => emulator.control('GET /scenarios')
  ),
  validate_scenario: tool(
    'Check a scenario without loading it. Lists every problem with its line and a correction.',
    SCENARIO,
    (emulator, { scenario }) =>
      emulator.control('POST /load', {
        query: { dry_run: 'true' },
        body: { scenario: documentIn(scenario) }
      })
  ),
  check: tool(
    'Play a scenario, such as one from reproduce_request, on a separate emulator, and check what it expects.',
    SCENARIO,
    (_, { scenario }) => checkScenario(scenario)
  ),
  load_scenario: tool(
    'Replace records, settings, clock and script with those of a scenario, and clear the journal.',
    SCENARIO,
    (emulator, { scenario }) => emulator.load(documentIn(scenario)),
    false
  ),
  reset: tool(
    'Go back to the initial state of the loaded scenario.',
    {},
    emulator => emulator.reset(),
    false
  ),
  move_clock: tool(
    'Advance the clock by a duration, or set it.',
    {
      by: optional(text('A duration such as 36h.')),
      to: optional(text('An instant such as 2026-03-01T12:00:00Z; not with by.'))
    },
    ({ clock }, { by, to }) =>
      by === undefined ? clock.set({ ...(to !== undefined && { now: to }) }) : clock.advance(by),
    false
  ),
  send_request: tool(
    `Send a request to the emulated API. explain_request takes the Request-Id of its response. Operations: ${OPERATION_NAMES.join(', ')}.`,
    {
      on: text('Method and path below the base address, such as GET /tickets/tkt_1.'),
      query: optional(object('Query parameters; nested values as objects.')),
      body: optional(object('Form parameters; nested values as objects.')),
      key: optional(nullable(text('The API key; null sends none. By default the first key.')))
    },
    async (emulator, { on, ...options }) => {
      const path = on.replace(/^\s*\w+\s*/, BASE)
      if (!new URL(path, 'http://_').pathname.startsWith(BASE))
        throw ERRORS.notARequest('POST /refunds', on)
      const { status, headers, body } = await emulator.inject(on, options as InjectOptions)
      return { status, request: headers['request-id'], body }
    },
    false
  ),
  list_requests: tool(
    'List the requests that the emulator received, newest first, one per line. explain_request shows a request in full.',
    {
      status: optional(text('A status, or a class such as 4xx.')),
      rule: optional(
        word(RULE_IDS, { description: 'Only requests that passed or violated this rule.' })
      ),
      limit: optional(Type.Integer({ minimum: 1, maximum: 100, description: '20 by default.' }))
    },
    async (emulator, { limit = 20, status, rule }) => {
      const { data, has_more } = await emulator.requests({ limit, status, rule } as never)
      const lines = data.map(({ id, method, path, status, outcome, refusal }) =>
        [id, method, path, status, outcome, refusal?.code, refusal?.rule].filter(Boolean).join(' ')
      )
      return [...lines, has_more ? 'There are older requests.' : 'There are no others.'].join('\n')
    }
  ),
  explain_request: ofRequest(
    'Show a request, its response and the reasons for it: rules, assumptions and script entries.',
    (emulator, id) => emulator.why(id),
    true
  ),
  request_changes: ofRequest(
    'List the records that a request changed, each before and after.',
    (emulator, id) => emulator.changes(id)
  ),
  reproduce_request: ofRequest(
    'Write a scenario in YAML that sends a request again, with the records that it touched.',
    (emulator, id) => emulator.recorded(id)
  ),
  coverage: tool(
    'List how often each rule of the reference was passed and violated.',
    {},
    emulator => emulator.coverage()
  ),
  findings: tool(
    `List the client's mistakes so far, such as ${Object.keys(FINDINGS).slice(0, 3).join(', ')}.`,
    {},
    emulator => emulator.findings()
  ),
  verify: tool(
    'Check an expectation; by default, those of the loaded scenario.',
    {
      expectation: optional(
        object('As under expect in a scenario, such as {"on": "POST /refunds", "times": 1}.')
      )
    },
    (emulator, { expectation }) => emulator.verify(expectation as Verification | undefined)
  )
}
