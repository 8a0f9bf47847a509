/** Every link on a page leads to a file, a heading or an anchor. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import t from 'tap'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const markdownIn = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .map(name => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter(path => path.endsWith('.md') && !/node_modules|\.vitepress/.test(path))
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  ...['docs', 'examples', '.github', 'bench'].flatMap(markdownIn)
]

/** A page without code. */
const prose = (text: string) =>
  text
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .replaceAll(/`[^`\n]*`/g, code => code.replaceAll(/[[\]()<>]/g, ''))

/** The anchor of a heading, as GitHub and the docs site generate it. */
const anchorOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

const anchorsOf = (page: string): (string | undefined)[] =>
  [
    ...read(page)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#+ (.+)$|<a id="([^"]+)">/gm)
  ].map(([, heading, id]) => id ?? anchorOf(heading as string))

t.test('docs: every link of a page leads to an existing file or anchor', async t => {
  for (const page of PAGES) {
    const broken = [...prose(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
      ([, target = '']) => {
        if (/^(https?:|mailto:)/.test(target)) return []
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? page : posix.join(posix.dirname(page), path)
        if (!existsSync(new URL(file, root))) return [target]
        return anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor)
          ? []
          : [target]
      }
    )
    t.strictSame(broken, [], page)
  }
})

t.test('docs: every page is reached from docs/index.md', async t => {
  const seen = new Set<string>()
  const walk = (page: string): void => {
    if (seen.has(page) || !existsSync(new URL(page, root))) return
    seen.add(page)
    for (const [, target = ''] of prose(read(page)).matchAll(/\]\(([^)#\s]+\.md)(?:#[^)]*)?\)/g))
      if (!target.startsWith('http')) walk(posix.join(posix.dirname(page), target))
  }
  walk('docs/index.md')
  const unseen = markdownIn('docs').filter(page => !seen.has(page))
  t.strictSame(unseen, [])
})

const FOLDERS = 'core|reference|store|scenario|engine|evidence|sandbox|replay|server|control|cli'
const NAMED = new RegExp(
  `(?<![\\w/])(?:src/)?((?:${FOLDERS})/[\\w/-]*(?:\\.ts)?|app\\.ts)(?![\\w/]|\\.md)`,
  'g'
)

t.test('docs: every file that the explanation of the code names exists', async t => {
  for (const page of ['docs/how-it-works.md', 'docs/how-it-works/post-refunds.svg']) {
    const named = [...read(page).matchAll(NAMED)].map(([, path]) => `src/${path}`)
    t.ok(named.length > 10, page)
    for (const path of named) t.ok(existsSync(new URL(path, root)), `${page}: ${path}`)
  }
})
