/** The published schemas in an editor, by the language server that most editors use for YAML. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { Library } from '../../src/scenario/library.js'
import { publishedSchema } from '../../src/scenario/published-schema.js'
import { VERSION } from '../../src/scenario/version.js'
import type { Json } from '../support/json.js'

const require = createRequire(import.meta.url)
const { getLanguageService } = require('yaml-language-server')
const { TextDocument } = require('vscode-languageserver-textdocument')

const SCHEMA = publishedSchema('scenario')
/** As SchemaStore's catalog would have it. */
const [{ fileMatch, versions }] = JSON.parse(
  readFileSync(new URL('../../docs/schema/schemastore.json', import.meta.url), 'utf8')
)
const service = getLanguageService({
  schemaRequestService: async () => '',
  workspaceContext: { resolveRelativePath: (path: string) => path },
  yamlSettings: {},
  telemetry: { send() {}, sendError() {}, sendTrack() {} },
  clientCapabilities: { textDocument: { completion: {} } }
})
service.configure({
  completion: true,
  hover: true,
  validate: true,
  schemas: [{ fileMatch, uri: versions[VERSION], schema: SCHEMA }]
})

let documents = 0
/** The document of a text, and the place of the bar in it. */
function opened(text: string) {
  const document = TextDocument.create(
    `file:///${++documents}.scenario.yaml`,
    'yaml',
    1,
    text.replace('|', '')
  )
  return { document, position: document.positionAt(text.indexOf('|')) }
}

t.test('editor: the schema of a catalog says where it is, in its version', async t => {
  t.equal(versions[VERSION], SCHEMA.$id)
})

t.test('editor: a file that says its kind in its name is known by the rest of it', async t => {
  const folder = t.testdir({
    'own.scenario.yaml': 'name: own',
    'lunch.fixture.json': '{}',
    'odd.scenarios.yaml': 'name: odd'
  })
  const library = new Library({ fixtures: folder, scenarios: folder })

  t.equal((await library.scenario('own')).name, join(folder, 'own.scenario.yaml'))
  t.equal(
    ((await library.fixture('lunch', null)) as { name: string }).name,
    join(folder, 'lunch.fixture.json')
  )
  for (const name of ['own.scenario', 'odd'])
    await t.rejects(library.scenario(name), { code: 'scenario_unknown' }, name)
})

t.test('editor: names and values are completed in block and in flow style', async t => {
  for (const [text, offered, withheld] of [
    ['|', ['script', 'expect', 'data'], ['respond']],
    ['script:\n  - on: POST /refunds\n    |\n', ['respond', 'fault', 'match'], ['on', 'times']],
    ['script:\n  - { | }\n', ['on', 'respond'], ['expect']],
    ['script: [{ on: P| }]\n', ['POST /refunds', 'GET /tickets/{id}'], ['respond']],
    ['script:\n  - { on: POST /refunds, fault: h| }\n', ['hang'], ['POST /refunds']],
    ['script:\n  - { on: POST /refunds, r| }\n', ['respond'], ['on', 'times']],
    ['script:\n  - { on: POST /refunds, respond: { s| } }\n', ['status'], ['on']],
    ['script:\n  - { on: POST /refunds, match: { body: { a| } } }\n', ['amount'], ['ticket']],
    ['expect:\n  - { | }\n', ['times', 'sequence', 'state'], ['respond']]
  ] as const) {
    const { document, position } = opened(text)
    const labels: string[] = (await service.doComplete(document, position, false)).items.map(
      ({ label }: Json) => label
    )
    t.strictSame(
      offered.filter(label => !labels.some(one => one.startsWith(label))),
      [],
      text
    )
    t.strictSame(
      withheld.filter(label => labels.includes(label)),
      [],
      text
    )
  }
})

t.test('editor: a part is called by what it is', async t => {
  for (const [text, called] of [
    ['script:\n  - o|n: POST /refunds\n', 'script entry'],
    ['expect:\n  - o|n: POST /refunds\n', 'expectation'],
    ['data:\n  locations:\n    - i|d: loc_a\n', 'Location'],
    ['script:\n  - on: POST /refunds\n    respond: { st|atus: 402 }\n', 'response']
  ] as const) {
    const { document, position } = opened(text)
    t.match((await service.doHover(document, position)).contents.value, `#### ${called}\n`, text)
  }
})
