/** An emulator as tools of a coding agent; the docs are resources. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fromJsonSchema, McpServer, type Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { connect } from '../../client/connect.js'
import type { Emulator } from '../../client/emulator.js'
import type { EmulatorError } from '../../client/error.js'
import { type EmulatorOptions, startEmulator } from '../../in-process.js'
import { PACKAGE_ROOT, VERSION } from '../../scenario/library.js'
import type { RunningAddress } from '../running.js'
import { TOOLS, type Tool } from './tools.js'

/** A running emulator, or one of its own with the options of `startEmulator`. */
export type McpOptions = RunningAddress | EmulatorOptions

/** In characters; the last line of a result says how to get the rest. */
const MAX_RESULT = 7_800

function resultOf(value: unknown, from: number, isReading: boolean) {
  const whole = typeof value === 'string' ? value : JSON.stringify(value)
  const end = from + MAX_RESULT
  const how = isReading ? `: call it again with "from": ${end}` : ''
  const rest = whole.length > end ? `\n… ${whole.length - end} more characters${how}.` : ''
  return { content: [{ type: 'text' as const, text: `${whole.slice(from, end)}${rest}` }] }
}

const VALIDATOR = new CfWorkerJsonSchemaValidator()
const DOCS = join(PACKAGE_ROOT, 'docs')

/** Serves until the client has gone. Errors: as of `connect` and `startEmulator`. */
export async function mcp(
  options: McpOptions,
  transport: Transport = new StdioServerTransport()
): Promise<void> {
  const emulator = await ('url' in options ? connect(options) : startEmulator(options))
  const server = new McpServer(
    { name: 'commerce-emulator', version: VERSION },
    {
      instructions: `An emulator of the Commerce Service API runs at ${emulator.baseUrl}; its first API key is ${emulator.key}, sent as the user name of Basic authorization. Load a scenario, send requests or run the client under test against it, then explain, verify and read the findings.`
    }
  )
  for (const [name, tool] of Object.entries(TOOLS)) addTool(server, emulator, name, tool)
  for (const page of await pages()) {
    const uri = `docs:${page}`
    const mimeType = 'text/markdown'
    server.registerResource(page, uri, { mimeType }, async () => ({
      contents: [{ uri, mimeType, text: await readFile(join(DOCS, page), 'utf8') }]
    }))
  }
  const ended = new Promise<void>(resolve => {
    server.server.onclose = resolve
  })
  await server.connect(transport)
  await ended
  await emulator.close()
}

function addTool(
  server: McpServer,
  emulator: Emulator,
  name: string,
  { about, input, isReading, run }: Tool
): void {
  const title = name.replace('_', ' ').replace(/^./, first => first.toUpperCase())
  const config = {
    title,
    description: about,
    inputSchema: fromJsonSchema(input as object, VALIDATOR),
    annotations: { title, readOnlyHint: isReading, openWorldHint: false }
  }
  server.registerTool(name, config, async parameters => {
    const { sandbox, from = 0, ...input } = parameters as { sandbox?: string; from?: number }
    try {
      const target = sandbox === undefined ? emulator : emulator.sandbox(sandbox)
      return resultOf(await run(target, input as never), from, isReading)
    } catch (error) {
      const { code, message, problems, verdict } = error as EmulatorError
      const failure = { code, message, ...(problems?.length && { problems }), verdict }
      return { ...resultOf(failure, from, isReading), isError: true }
    }
  })
}

/** The pages of the docs; none where they are not installed. */
const pages = async (): Promise<string[]> =>
  (await readdir(DOCS, { recursive: true }).catch(() => []))
    .filter(path => path.endsWith('.md') && !/^(decisions|\.vitepress)/.test(path))
    .sort()
