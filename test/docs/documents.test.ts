/**
 * The documents match the code: packages, published schemas, shipped files. The pages of
 * docs/reference have their own test.
 */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { publishedSchema } from '../../scripts/docs/published-schema.js'
import { PAGES, textOf } from './pages.js'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

t.test('docs: packages.md lists exactly the bundled packages, each with its reason', async t => {
  const table = read('docs/packages.md')
  const shown = [...table.matchAll(/^\| ([@a-z][@\w/, -]*) \| (.+) \|$/gm)].flatMap(
    ([, names = '']) => names.split(', ')
  )
  const sources = ['src', 'scripts'].flatMap(folder =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).flatMap(file =>
      /\.(tsx?|mjs)$/.test(file) ? `${folder}/${file}` : []
    )
  )
  const imported = sources.flatMap(file =>
    [
      ...read(file).matchAll(
        /(?:from |import\(|resolve\()'((?:@[^/']+\/)?[a-z][^/':]*)(?:\/[^']*)?'/g
      )
    ].map(([, name]) => name as string)
  )
  // what builds and tests
  const tools = ['@tapjs/reporter', '@tapjs/test', 'esbuild', 'tap', 'typescript', 'vite']
  t.strictSame(
    shown.filter(name => name !== 'package').sort(),
    [...new Set(imported)].filter(name => !tools.includes(name)).sort()
  )
})

t.test('the published schemas are those that check documents', async t => {
  for (const kind of ['fixture', 'scenario', 'script'] as const) {
    t.strictSame(
      JSON.parse(read(`docs/schema/${kind}.json`)),
      JSON.parse(JSON.stringify(publishedSchema(kind))),
      `docs/schema/${kind}.json; npm run schema writes it`
    )
  }
})

t.test('every shipped document names its schema on line 1, and its purpose on line 2', async t => {
  for (const kind of ['fixture', 'scenario']) {
    for (const file of readdirSync(new URL(`${kind}s/`, root))) {
      const text = read(`${kind}s/${file}`)
      const schema = file === 'outages.yaml' ? 'script' : kind
      t.ok(
        new RegExp(
          `^# yaml-language-server: \\$schema=\\.\\./docs/schema/${schema}\\.json\n# \\S`
        ).test(text) && parse(text),
        file
      )
    }
  }
})

/** Maximum width of code on a page; output of commands may be wider. */
const MAX_COLUMNS = 100

t.test('docs: code of a page fits 100 columns', async t => {
  for (const page of PAGES) {
    const blocks = [
      ...textOf(page).matchAll(/^ *```(sh|json|ya?ml|[jt]s|python)\n([\s\S]*?)^ *```$/gm)
    ]
    const wide = blocks.flatMap(([, , text = '']) =>
      text.split('\n').filter(line => [...line].length > MAX_COLUMNS)
    )
    t.strictSame(wide, [], page)
  }
})
