/**
 * `commerce-emulator lsp`: scenarios and fixtures in an editor, over the Language Server Protocol
 * on stdin and stdout. The problems are those of `validate`, as
 * you type. Where the YAML language server is installed, it runs behind this one, with our schemas,
 * and completes names and values.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter
} from 'vscode-jsonrpc/node.js'
import type { Problem } from '../core/errors.js'
import { settingsInForce } from '../core/settings.js'
import { aboutPart, kindOf, partAt, targetOf } from '../scenario/cursor.js'
import { documentOf, type SourceDocument } from '../scenario/documents.js'
import { Library, PACKAGE_ROOT } from '../scenario/library.js'
import { isScenarioOrFixture, type Launch } from '../scenario/scenario.js'
import { isSharedScript } from '../scenario/shared-script.js'
import { VERSION } from '../scenario/version.js'
import { foundIn } from './validate.js'

type Position = { line: number; character: number }
type At = { textDocument: { uri: string }; position: Position }

/** Milliseconds without a change before a document is checked. */
const QUIET = 150
/** A name by which a file says that it is one of ours, even while it is not YAML. */
const OUR_NAME = /\.(scenario|fixture)\.(ya?ml|json)$/
/** A line that names one of our schemas. */
const OUR_SCHEMA =
  /^# +yaml-language-server: *\$schema=\S*\bschema\/(?:scenario|fixture|script)\.json(?=\s*$)/gm
/** Severities of the protocol. */
const [ERROR, WARNING] = [1, 2]

type Publish = (found: { uri: string; diagnostics: readonly object[] }) => unknown

/** The documents that are open in the editor. */
class Documents {
  readonly #launch: Launch
  readonly #open = new Map<string, { text: string; timer: NodeJS.Timeout }>()
  readonly #publish: Publish

  constructor(launch: Launch, publish: Publish) {
    this.#launch = launch
    this.#publish = publish
  }

  get library(): Library {
    const settings = settingsInForce(this.#launch).values
    return new Library(
      { fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir },
      settings
    )
  }

  text(uri: string): string {
    return this.#open.get(uri)?.text ?? ''
  }

  /** A document as far as it can be read. */
  read(uri: string): Promise<SourceDocument> {
    const name = nameOf(uri)
    return this.library.text(name, this.text(uri)).catch(() => documentOf(name, null))
  }

  /** Takes the text of a document, and checks it as soon as it stays as it is. */
  change(uri: string, text: string): void {
    clearTimeout(this.#open.get(uri)?.timer)
    this.#open.set(uri, { text, timer: setTimeout(() => void this.#check(uri, text), QUIET) })
  }

  close(uri: string): void {
    clearTimeout(this.#open.get(uri)?.timer)
    this.#open.delete(uri)
    this.#publish({ uri, diagnostics: [] })
  }

  end(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer)
  }

  async #check(uri: string, text: string): Promise<void> {
    const { library } = this
    const { name, data } = await this.read(uri)
    const isOurs = OUR_NAME.test(uri) || isScenarioOrFixture(data) || isSharedScript(data)
    const found = isOurs
      ? await foundIn(
          () => library.text(name, text),
          { file: fileOf(uri), name },
          { library, launch: this.#launch }
        )
      : { problems: [], warnings: [] }
    // what has changed since is checked again
    if (this.text(uri) !== text) return
    const shown = (problems: readonly Problem[], severity: number) =>
      problems.map(problem => ({ ...diagnosticOf(problem, { name, text }), severity }))
    this.#publish({
      uri,
      diagnostics: [...shown(found.problems, ERROR), ...shown(found.warnings, WARNING)]
    })
  }
}

/**
 * A problem where it is; one of another file, which this one names, stands at the top with its
 * place.
 */
function diagnosticOf(
  { file, line = 1, column = 1, path, code, message }: Problem,
  { name, text }: { name: string; text: string }
) {
  const place = file === name ? '' : `${basename(file as string)}:${line}:${column} `
  const range = place === '' ? rangeAt(text, line - 1, column - 1) : rangeAt(text, 0, 0)
  return {
    range,
    source: 'commerce-emulator',
    code,
    message: `${place}${path && `${path}: `}${message}`
  }
}

/**
 * Serves an editor until it ends the session, or closes the input; the YAML language server is
 * looked for in the packages of the folder `cwd` first.
 */
export async function lsp({
  launch,
  input,
  output,
  cwd
}: {
  launch: Launch
  input: Readable
  output: Writable
  cwd: string
}): Promise<void> {
  const editor = createMessageConnection(
    new StreamMessageReader(input),
    new StreamMessageWriter(output)
  )
  const documents = new Documents(launch, found =>
    editor.sendNotification('textDocument/publishDiagnostics', found)
  )
  let yaml = null as MessageConnection | null
  const ended = new Promise<void>(resolve => {
    editor.onClose(resolve)
    editor.onNotification('exit', resolve)
  })
  const partIn = ({ textDocument: { uri }, position }: At) => {
    const text = documents.text(uri)
    return { part: partAt(text, offsetAt(text, position)), word: wordAt(text, position) }
  }

  editor.onRequest('initialize', async ({ rootUri }: { rootUri: string | null }) => {
    const schemaOf = async (uri: string) =>
      pathToFileURL(
        join(PACKAGE_ROOT, 'docs/schema', `${kindOf((await documents.read(uri)).data)}.json`)
      ).href
    yaml = await yamlServer({ rootUri, cwd, schemaOf })
    const completes = yaml !== null && {
      completionProvider: { triggerCharacters: [' ', ':', '-', '"'] }
    }
    return {
      serverInfo: { name: 'commerce-emulator', version: VERSION },
      // a change is the whole text
      capabilities: {
        textDocumentSync: { openClose: true, change: 1 },
        hoverProvider: true,
        definitionProvider: true,
        ...completes
      }
    }
  })
  editor.onNotification(
    'textDocument/didOpen',
    ({ textDocument }: { textDocument: { uri: string; text: string } }) => {
      const { uri, text } = textDocument
      documents.change(uri, text)
      return yaml?.sendNotification('textDocument/didOpen', {
        textDocument: { ...textDocument, text: withoutSchema(text) }
      })
    }
  )
  editor.onNotification(
    'textDocument/didChange',
    (change: { textDocument: { uri: string }; contentChanges: readonly [{ text: string }] }) => {
      const { textDocument, contentChanges } = change
      const [{ text }] = contentChanges
      documents.change(textDocument.uri, text)
      return yaml?.sendNotification('textDocument/didChange', {
        textDocument,
        contentChanges: [{ text: withoutSchema(text) }]
      })
    }
  )
  editor.onNotification('textDocument/didClose', (closed: { textDocument: { uri: string } }) => {
    documents.close(closed.textDocument.uri)
    return yaml?.sendNotification('textDocument/didClose', closed)
  })
  editor.onRequest(
    'textDocument/completion',
    (at: At) => yaml?.sendRequest('textDocument/completion', at) ?? null
  )
  editor.onRequest('textDocument/hover', async (at: At) => {
    const { part, word } = partIn(at)
    const about = aboutPart(part, word, (await documents.read(at.textDocument.uri)).data)
    return about && { contents: { kind: 'markdown', value: about } }
  })
  editor.onRequest('textDocument/definition', async (at: At) => {
    const { uri } = at.textDocument
    const { part, word } = partIn(at)
    const found =
      part &&
      (await targetOf(part, word, {
        document: await documents.read(uri),
        file: fileOf(uri),
        library: documents.library
      }))
    if (found === null) return null
    const start = { line: found.line - 1, character: found.column - 1 }
    return {
      uri: found.file === nameOf(uri) ? uri : pathToFileURL(found.file).href,
      range: { start, end: start }
    }
  })
  editor.onRequest('shutdown', () => null)
  editor.listen()
  await ended
  documents.end()
  yaml?.dispose()
  editor.dispose()
  input.destroy()
}

/** The path of a document; null for one that was never saved. */
const fileOf = (uri: string): string | null => (uri.startsWith('file:') ? fileURLToPath(uri) : null)
const nameOf = (uri: string): string => fileOf(uri) ?? uri
/** A line of a text; empty below its end. */
const lineAt = (text: string, line: number): string => text.split('\n', line + 1)[line] ?? ''

/**
 * A text without a line that names one of our schemas: the YAML language server would read the
 * schema there, which may lead nowhere, instead of the one that it is given.
 */
const withoutSchema = (text: string): string => text.replace(OUR_SCHEMA, '#')

/** From a place to the end of the name or value that begins there. */
function rangeAt(text: string, line: number, character: number) {
  const [token] = /^(?:"[^"]*"|'[^']*'|.+?(?=\s*(?:[,\]}]|\s#|:\s|:?$)))/.exec(
    lineAt(text, line).slice(character)
  ) ?? ['']
  return { start: { line, character }, end: { line, character: character + token.length } }
}

function offsetAt(text: string, { line, character }: Position): number {
  const before = text.split('\n', line)
  return before.reduce((sum, { length }) => sum + length + 1, 0) + character
}

/** The word that a place is in: a name, an id of a rule, an id of a record. */
function wordAt(text: string, { line, character }: Position): string {
  const of = lineAt(text, line)
  const [before] = /[\w-]*$/.exec(of.slice(0, character)) as unknown as [string]
  const [after] = /^[\w-]*/.exec(of.slice(character)) as unknown as [string]
  return before + after
}

/**
 * The command of the YAML language server: that of the packages of a folder, otherwise the one in
 * the PATH.
 */
function yamlCommand(cwd: string): [command: string, ...args: string[]] {
  try {
    return [
      process.execPath,
      createRequire(join(cwd, 'any.js')).resolve('yaml-language-server/bin/yaml-language-server'),
      '--stdio'
    ]
  } catch {
    return ['yaml-language-server', '--stdio']
  }
}

/**
 * Starts the YAML language server, with our schemas for its documents; null where there is none.
 */
async function yamlServer({
  rootUri,
  cwd,
  schemaOf
}: {
  rootUri: string | null
  cwd: string
  schemaOf: (uri: string) => Promise<string>
}) {
  const [command, ...args] = yamlCommand(cwd)
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const isThere = await once(child, 'spawn').then(
    () => true,
    () => false
  )
  if (!isThere) return null
  const server = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin)
  )
  server.onDispose(() => child.kill())
  server.onRequest('custom/schema/request', (uri: string) => schemaOf(uri))
  // the problems and the descriptions are ours
  const settings: Readonly<Record<string, object>> = {
    yaml: { completion: true, hover: false, validate: false, schemaStore: { enable: false } }
  }
  server.onRequest(
    'workspace/configuration',
    ({ items }: { items: readonly { section: string }[] }) =>
      items.map(({ section }) => settings[section] ?? null)
  )
  server.onRequest('client/registerCapability', () => null)
  server.listen()
  const capabilities = {
    textDocument: { completion: { completionItem: { snippetSupport: false } } },
    workspace: { configuration: true }
  }
  await server.sendRequest('initialize', { processId: process.pid, rootUri, capabilities })
  await server.sendNotification('initialized', {})
  await server.sendNotification('yaml/registerCustomSchemaRequest', {})
  return server
}
