/**
 * `commerce-emulator mcp`: an emulator as the tools of a coding agent, over the Model Context
 * Protocol on stdin and stdout. Each tool is one request of the
 * control API, or of the emulated API; the pages of the docs are its resources.
 */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { fromJsonSchema, McpServer, type Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import type { Static, TObject, TProperties } from 'typebox'
import * as Type from 'typebox'
import { connect } from '../client/connect.js'
import type { Emulator } from '../client/emulator.js'
import type { EmulatorError } from '../client/error.js'
import type { InjectOptions, Verification } from '../client/options.js'
import { FINDINGS } from '../evidence/findings.js'
import { type EmulatorOptions, startEmulator } from '../in-process.js'
import { OPERATION_NAMES } from '../reference/operations.js'
import { closed, nullable, optional, word } from '../reference/parameters.js'
import { RULE_IDS } from '../reference/rules.js'
import { VERSION } from '../scenario/version.js'

/** A running emulator by its address, or one of its own, with the options of `startEmulator`. */
export type McpOptions = { url: string; token: string | null } | EmulatorOptions

type Tool = {
  about: string
  input: TObject
  isReading: boolean
  run: (emulator: Emulator, given: never) => Promise<unknown>
}

const tool = <P extends TProperties>(
  about: string,
  properties: P,
  run: (emulator: Emulator, given: Static<TObject<P>>) => Promise<unknown>,
  isReading = true
): Tool => ({
  about,
  input: closed(properties),
  isReading,
  run
})
const text = (description: string) => Type.String({ minLength: 1, description })
const SCOPE = {
  scope: optional(
    word(['sandbox', 'run'], {
      description:
        'sandbox: since the last load or reset (default). run: since the emulator was started.'
    })
  )
}
const object = (description?: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    ...(description !== undefined && { description })
  })
const SCENARIO = text(
  'The name of a scenario that list_scenarios lists, or a whole document in YAML or JSON.'
)
const ID = text('The Request-Id of a response, such as req_3.')

/** A document in one line is told from a name, which has no line break. */
const documentIn = (scenario: string) => (/^\s*\{|: /.test(scenario) ? `${scenario}\n` : scenario)

/** The tools by their names. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  list_scenarios: tool(
    'List the scenarios and fixtures that can be loaded by name, each with its description.',
    {},
    emulator => emulator.control('GET /scenarios')
  ),
  validate_scenario: tool(
    'Check a scenario without loading it. Lists every problem with its line, and what was probably meant.',
    { scenario: SCENARIO },
    (emulator, { scenario }) =>
      emulator.control('POST /load', {
        query: { dry_run: 'true' },
        body: { scenario: documentIn(scenario) }
      })
  ),
  load_scenario: tool(
    'Replace the state, the settings, the clock and the script with those of a scenario, and clear the journal.',
    { scenario: SCENARIO },
    (emulator, { scenario }) => emulator.load(documentIn(scenario)),
    false
  ),
  reset: tool(
    'Go back to the first state of the loaded scenario.',
    {},
    emulator => emulator.reset(),
    false
  ),
  send_request: tool(
    `Send a request to the emulated API. The response has its Request-Id, which explain_request takes. Operations: ${OPERATION_NAMES.join(', ')}.`,
    {
      on: text(
        'Method and path below the base address, such as POST /refunds or GET /tickets/tkt_1.'
      ),
      query: optional(object()),
      body: optional(object()),
      key: optional(nullable(text('The API key; null sends none. By default the first key.')))
    },
    async (emulator, { on, ...options }) => {
      const { status, headers, body } = await emulator.inject(on, options as InjectOptions)
      return { status, request: headers['request-id'], body }
    },
    false
  ),
  list_requests: tool(
    'List the requests that the emulator received, newest first.',
    {
      status: optional(text('A status, or a class such as 4xx.')),
      rule: optional(
        word(RULE_IDS, { description: 'Only requests that kept or broke this rule.' })
      ),
      limit: optional(Type.Integer({ minimum: 1, maximum: 100, description: '20 by default.' }))
    },
    (emulator, { limit = 20, ...filter }) => emulator.requests({ ...filter, limit } as never)
  ),
  explain_request: tool(
    'Tell why a request got its response: the rules that it kept and broke, the assumptions, the script entries.',
    { id: ID },
    (emulator, { id }) => emulator.why(id)
  ),
  request_changes: tool(
    'List the records that a request changed, each before and after.',
    { id: ID },
    (emulator, { id }) => emulator.changes(id)
  ),
  reproduce_request: tool(
    'Write a scenario in YAML that sends a request again, with the records that it touched.',
    { id: ID },
    (emulator, { id }) => emulator.recorded(id)
  ),
  coverage: tool(
    'List how often each rule of the reference was kept and broken.',
    SCOPE,
    (emulator, given) => emulator.coverage(given)
  ),
  findings: tool(
    `List the mistakes of the client so far, such as ${Object.keys(FINDINGS).slice(0, 3).join(', ')}.`,
    SCOPE,
    (emulator, given) => emulator.findings(given)
  ),
  verify: tool(
    'Judge what was expected: without an expectation, those of the loaded scenario.',
    {
      expectation: optional(
        object('As under expect in a scenario, such as {"on": "POST /refunds", "times": 1}.')
      )
    },
    (emulator, { expectation }) => emulator.verify(expectation as Verification | undefined)
  )
}

/** A quarter of the size of ajv, which is the default. */
const VALIDATOR = new CfWorkerJsonSchemaValidator()
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))

/** Serves until the client has gone. Errors: as of `connect` and `startEmulator`. */
export async function mcp(
  options: McpOptions,
  transport: Transport = new StdioServerTransport()
): Promise<void> {
  const emulator =
    'url' in options
      ? await connect({ url: options.url, ...(options.token !== null && { token: options.token }) })
      : await startEmulator(options)
  const server = new McpServer(
    { name: 'commerce-emulator', version: VERSION },
    {
      instructions: `An emulator of the Commerce Service API runs at ${emulator.baseUrl}; its first API key is ${emulator.key}, sent as the user name of Basic authorization. Load a scenario, send requests or run the client under test against it, then explain, verify and read the findings.`
    }
  )
  for (const [name, { about, input, isReading, run }] of Object.entries(TOOLS)) {
    const config = {
      description: about,
      inputSchema: fromJsonSchema(input as object, VALIDATOR),
      annotations: { readOnlyHint: isReading, openWorldHint: false }
    }
    server.registerTool(name, config, given =>
      run(emulator, given as never).then(
        value => ({
          content: [
            {
              type: 'text' as const,
              text: typeof value === 'string' ? value : JSON.stringify(value)
            }
          ]
        }),
        ({ code, message, problems, verdict }: EmulatorError) => ({
          content: [
            { type: 'text' as const, text: JSON.stringify({ code, message, problems, verdict }) }
          ],
          isError: true
        })
      )
    )
  }
  for (const page of await pages()) {
    const read = async () => ({
      contents: [
        {
          uri: `docs:${page}`,
          mimeType: 'text/markdown',
          text: await readFile(`${DOCS}${page}`, 'utf8')
        }
      ]
    })
    server.registerResource(page, `docs:${page}`, { mimeType: 'text/markdown' }, read)
  }
  const ended = new Promise<void>(resolve => {
    server.server.onclose = resolve
  })
  await server.connect(transport)
  await ended
  await emulator.close()
}

/** The pages of the docs; none where they are not installed. */
const pages = async (): Promise<string[]> =>
  (await readdir(DOCS, { recursive: true }).catch(() => []))
    .filter(path => path.endsWith('.md') && !/^(decisions|\.vitepress)/.test(path))
    .sort()
