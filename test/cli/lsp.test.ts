/** Scenarios in an editor, by the client that most editors are made with. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import {
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  type Hover,
  HoverRequest,
  InitializeRequest,
  type Location,
  type MarkupContent,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter
} from 'vscode-languageserver-protocol/node.js'
import { lsp } from '../../src/cli/lsp.js'

const SOURCE = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NOWHERE = '/'

/** A client of streams, with what it was told of each document. */
async function client(input: Readable, output: Writable) {
  const connection = createProtocolConnection(
    new StreamMessageReader(input),
    new StreamMessageWriter(output)
  )
  const told = new Map<string, Diagnostic[]>()
  const waiting: (() => void)[] = []
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    told.set(uri, diagnostics)
    for (const go of waiting.splice(0)) go()
  })
  connection.listen()
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities: {}
  })
  let version = 0
  const open = (uri: string, text: string) =>
    connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'yaml', version: ++version, text }
    })
  const change = (uri: string, text: string) =>
    connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: ++version },
      contentChanges: [{ text }]
    })
  const close = (uri: string) =>
    connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } })
  /** What is told next. */
  const next = () => new Promise<void>(resolve => waiting.push(resolve))
  /**
   * `LINE:FROM-TO code` of each, a warning with a question mark; lines and columns as editors count
   * them for people.
   */
  const shown = (uri: string) =>
    told
      .get(uri)
      ?.map(
        ({ range: { start, end }, severity, code }) =>
          `${start.line + 1}:${start.character + 1}-${end.character + 1} ${code}${severity === 1 ? '' : '?'}`
      )
  const end = async () => {
    await connection.sendRequest(ShutdownRequest.type)
    await connection.sendNotification(ExitNotification.type)
  }
  return { connection, capabilities, told, open, change, close, next, shown, end }
}

/** A client of a server in this process; `cwd` is where the YAML language server is looked for. */
async function editor(t: Test, cwd = NOWHERE) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const path = process.env.PATH
  process.env.PATH = ''
  const served = lsp({ launch: {} as never, input, output, cwd })
  const made = await client(output, input)
  process.env.PATH = path
  t.teardown(async () => {
    await made.end()
    await served
    made.connection.dispose()
  })
  return made
}

/** A text, and the place of the bar in it. */
function marked(text: string) {
  const [before] = text.split('|') as [string]
  const lines = before.split('\n')
  return {
    text: text.replace('|', ''),
    position: { line: lines.length - 1, character: (lines.at(-1) as string).length }
  }
}

const FILES = {
  'own.scenario.yaml': '',
  'more.yaml': 'tickets:\n  - { id: tkt_more, location: loc_a }\n',
  'empty.yaml': '',
  'other.json': '{"properties":{"script":{"enum":["of another kind"]}}}',
  'outages.yaml': 'groups:\n  brief:\n    - { name: down, on: "*", respond: { status: 503 } }\n',
  'shared.yaml':
    'groups:\n  day:\n    script:\n      - { name: late, on: "*", delay: 1s }\n    steps:\n      - { as: used, do: GET /tickets }\n    data:\n      tickets:\n        - { id: tkt_used, location: loc_a }\n'
}

t.test('lsp: the problems of a scenario as one types, each where it is', async t => {
  const folder = t.testdir(FILES)
  const uri = pathToFileURL(join(folder, 'own.scenario.yaml')).href
  const { capabilities, open, change, close, next, shown, told } = await editor(t)

  t.match(capabilities, {
    hoverProvider: true,
    definitionProvider: true,
    completionProvider: undefined
  })
  const cases: [text: string, shown: string[]][] = [
    ['script:\n  - { on: POST /refund, respond: { status: 402 } }\n', ['2:11-23 unknown_word']],
    ['script:\n  - { on: POST /refunds, respond: { status: 402 } }\n', []],
    ['script:\n  - { on: POST /refunds, dealy: 2s }\n', ['2:26-31 unknown_name']],
    ['fixtures: [bistro]\nvars: { unused: 1 }\n', ['2:9-15 unused_variable?']],
    ['fixtures: [bistro]\nuse: [outages.yaml#brif]\n', ['2:7-24 unknown_group']],
    ['name: x: y\n', ['1:7-8 holds_colon']],
    ['', ['1:1-1 empty_document']]
  ]
  for (const [index, [text, wanted]] of cases.entries()) {
    const heard = next()
    await (index === 0 ? open : change)(uri, text)
    await heard
    t.strictSame(shown(uri), wanted, text)
  }
  const heard = next()
  await close(uri)
  await heard
  t.strictSame(told.get(uri), [])
})

t.test(
  'lsp: a problem of a file that is named stands at the top; a document of somebody else has none; what changes meanwhile is not told',
  async t => {
    const folder = t.testdir({ ...FILES, 'more.yaml': 'tickets:\n  - { id: tkt_more }\n' })
    const { open, change, next, shown, told, close } = await editor(t)
    const [own, other, untitled] = [
      pathToFileURL(join(folder, 'own.scenario.yaml')).href,
      pathToFileURL(join(folder, 'compose.yaml')).href,
      'untitled:Untitled-1'
    ]

    for (const [uri, text, wanted] of [
      [own, 'fixtures: [more.yaml]\n', ['1:1-9 required']],
      [other, 'services: { web: { image: nginx } }\n', []],
      [untitled, 'scrpt: []\nexpect: []\n', ['1:1-6 unknown_name']]
    ] as const) {
      const heard = next()
      await open(uri, text)
      await heard
      t.strictSame(shown(uri), wanted, text)
    }
    t.match(told.get(own)?.[0]?.message, /^more\.yaml:2:5 tickets\[0\]/)
    await open(own, 'scripts: []\n')
    await close(own)
    // its check is under way when it is changed
    const tickets = Array.from({ length: 20_000 }, (_, nth) => ({
      id: `tkt_${nth}`,
      location: 'loc_bistro'
    }))
    await change(untitled, JSON.stringify({ fixtures: ['bistro'], data: { tickets } }))
    await sleep(200)
    const heard = next()
    await change(untitled, 'expect: []\n')
    await heard
    t.strictSame(told.get(own), [])
  }
)

t.test('lsp: what stands under the cursor, and where it leads', async t => {
  const folder = t.testdir(FILES)
  const uri = pathToFileURL(join(folder, 'own.scenario.yaml')).href
  const { connection, open } = await editor(t)
  const ask = async (text: string) => {
    const { text: whole, position } = marked(text)
    await open(uri, whole)
    return { textDocument: { uri }, position }
  }
  const hovered: [text: string, about: RegExp | null][] = [
    ['# breaks REF|-7\nscript: []\n', /^\*\*REF-7\*\*: a Refund above/],
    ['description: as in A|11\n', /^\*\*A11\*\*, assumed: /],
    ['script:\n  - o|n: POST /refunds\n', /^\*\*script\.on\*\*: A method and a path/],
    [
      'script:\n  - { on: POST /refunds, respond: { stat|us: 402 } }\n',
      /^\*\*script\.respond\.status\*\*: The status/
    ],
    [
      'script:\n  - { on: POST /refunds, delay: { mi|n: 1s } }\n',
      /^\*\*script\.delay\.min\*\*: The shortest/
    ],
    ['groups:\n  brief:\n    - { fa|ult: hang }\n', /^\*\*groups\.brief\.fault\*\*: Loses/],
    ['locations:\n  - { display|_name: x }\n', /^\*\*locations\.display_name\*\*/],
    ['vars: { of|: 1 }\n', null],
    ['scri|pts: []\n', null],
    ['expect: []\n|\n', null],
    ['[name: |x]: 1\n', null],
    ['name: x: |y\n', null],
    ['name: [REF-7,   |  ]\n', null]
  ]
  for (const [text, about] of hovered) {
    const hover = await connection.sendRequest(HoverRequest.type, await ask(text))
    if (about === null) t.equal(hover, null, text)
    else t.match(((hover as Hover).contents as MarkupContent).value, about, text)
  }

  t.equal(
    await connection.sendRequest(HoverRequest.type, {
      textDocument: { uri: 'untitled:closed' },
      position: { line: 3, character: 1 }
    }),
    null
  )

  const RECORDS =
    'fixtures: [bistro, more.yaml, nowhere]\nvars: { most: 3 }\ndata:\n  tickets:\n    - { id: tkt_own, location: loc_a }\n'
  const led: [text: string, file: string | null, line?: number][] = [
    ['use: [outages.yaml#br|ief]\n', 'outages.yaml', 2],
    ['use: [outa|ges.yaml]\n', 'outages.yaml', 1],
    ['use:\n  - { group: shar|ed#day }\n', 'shared.yaml', 2],
    ['use: [ { group: shared#day, override: { la|te: { calls: 2 } } } ]\n', 'shared.yaml', 4],
    ['use: [ { group: outages#brief, override: { do|wn: null } } ]\n', 'outages.yaml', 3],
    ['use: [shared#day]\nplay:\n  - { do: "GET /tickets/${us|ed.id}" }\n', 'shared.yaml', 6],
    [
      'use: [outages#brief, shared#day, nowhere#x]\nplay:\n  - { do: POST /transactions, body: { ticket: tkt|_used } }\n',
      'shared.yaml',
      9
    ],
    ['use: [4|2]\n', null],
    ['use: outages.yaml#br|ief\n', 'outages.yaml', 2],
    ['use: [nowh|ere#brief]\n', null],
    ['fixtures: [bis|tro]\n', 'bistro.yaml', 3],
    ['fixtures: [em|pty.yaml]\n', 'empty.yaml', 1],
    [
      `${RECORDS}play:\n  - { do: POST /transactions, body: { ticket: tkt|_own } }\n`,
      'own.scenario.yaml',
      5
    ],
    [
      `${RECORDS}play:\n  - { do: POST /transactions, body: { ticket: tkt|_more } }\n`,
      'more.yaml',
      2
    ],
    [`${RECORDS}play:\n  - { do: POST /transactions, body: { ticket: tkt|_none } }\n`, null],
    [
      `${RECORDS}play:\n  - { do: POST /refunds, repeat: "\${vars.mo|st}" }\n`,
      'own.scenario.yaml',
      2
    ],
    [
      'play:\n  - { as: paid, do: GET /tickets }\n  - { do: "GET /tickets/${pa|id.id}" }\n',
      'own.scenario.yaml',
      2
    ],
    [
      'script:\n  - { name: down, on: "*", fault: hang }\n  - { name: d|own, on: "*" }\n',
      'own.scenario.yaml',
      2
    ],
    ['tickets:\n  - { id: tkt_a, location: loc_a }\n  - { id: tkt|_a }\n', 'own.scenario.yaml', 2],
    ['scr|ipt: []\n', null],
    ['seed: |7\n', null],
    ['- tkt|_a\n', null],
    ['name: x: tkt|_a\n', null],
    ['name: |ab: c\n', null],
    ['', null]
  ]
  for (const [text, file, line] of led) {
    const found = (await connection.sendRequest(
      DefinitionRequest.type,
      await ask(text)
    )) as Location | null
    t.strictSame(
      found && [fileURLToPath(found.uri).split('/').at(-1), found.range.start.line + 1],
      file && [file, line],
      text
    )
  }
})

t.test(
  'lsp: names and values are completed where the YAML language server is installed',
  async t => {
    const folder = t.testdir(FILES)
    const { capabilities, connection, open, change, close } = await editor(t, ROOT)
    const plain = await editor(t)
    const uri = pathToFileURL(join(folder, 'own.scenario.yaml')).href
    const offered = async (from: typeof connection, position: object) => {
      const found = await from.sendRequest(CompletionRequest.type, {
        textDocument: { uri },
        position
      } as never)
      return ((found as { items: { label: string }[] } | null)?.items ?? []).map(
        ({ label }) => label
      )
    }

    const other = pathToFileURL(join(folder, 'other.json')).href
    t.ok(capabilities.completionProvider)
    for (const [index, [text, wanted, not]] of (
      [
        ['script:\n  - on: POST /refunds\n    |\n', 'respond', 'times'],
        ['script:\n  - { on: POST /refunds, fault: h| }\n', 'hang', 'POST /refunds'],
        ['tickets:\n  - { | }\n', 'reference', 'on'],
        ['groups:\n  brief:\n    - { | }\n', 'fault', 'groups'],
        [
          '# yaml-language-server: $schema=moved/schema/fixture.json\nscript:\n  - { | }\n',
          'fault',
          'groups'
        ],
        [`# yaml-language-server: $schema=${other}\nscript: |\n`, 'of another kind', 'on']
      ] as const
    ).entries()) {
      const { text: whole, position } = marked(text)
      await (index === 0 ? open : change)(uri, whole)
      const labels = await offered(connection, position)
      t.ok(
        labels.some(label => label.startsWith(wanted)) && !labels.includes(not),
        `${text}: ${labels.join(', ')}`
      )
    }
    await close(uri)
    t.strictSame(await offered(plain.connection, { line: 0, character: 0 }), [])
  }
)

t.test('lsp: the command serves an editor on stdin and stdout, and ends with it', async t => {
  const child = spawn(process.execPath, [...process.execArgv, SOURCE, 'lsp', '--stdio'], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit']
  })
  const ended = once(child, 'exit')
  const { open, next, shown, end } = await client(child.stdout, child.stdin)
  const heard = next()
  await open('untitled:a.scenario.yaml', 'script: [{ on: POST /refund }]\n')
  await heard
  t.strictSame(shown('untitled:a.scenario.yaml'), ['1:16-28 unknown_word'])
  await end()
  t.strictSame(await ended, [0, null])
})
