/**
 * The built docs site: every page is complete, its links work, and it loads nothing from elsewhere.
 * Prints problems and ends with 1.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))
const SITE = join(DOCS, '.vitepress/dist')
const BASE = '/commerce-emulator/'
const problems = []

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"' }
const textOf = html =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(x?)([\da-f]+);/gi, (_, hex, digits) =>
      String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10))
    )
    .replaceAll(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
/** Text without white space and typographic marks. */
const bare = text => text.replaceAll(/[\s\u200b]/g, '')
/** The text of a line of Markdown. */
const shownOf = line =>
  line
    .replaceAll(/<!--.*?-->|<a id="[^"]*"><\/a>/g, '')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)\s]+\)/g, '$1')
    .replaceAll(/`|&emsp;/g, '')
    .replaceAll('\\|', '|')

const pageFiles = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter(
  name => name.endsWith('.md') && !name.startsWith('.vitepress')
)
const htmlOf = page => readFileSync(join(SITE, page), 'utf8')
const htmlName = name => name.replace(/\.md$/, '.html')
const anchors = new Map(
  pageFiles.map(name => [
    htmlName(name),
    new Set([...htmlOf(htmlName(name)).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  ])
)

for (const name of pageFiles) {
  const page = htmlName(name)
  const html = htmlOf(page)
  const shown = bare(textOf(html))
  const markdown = readFileSync(join(DOCS, name), 'utf8').replaceAll(/^<!-- [\s\S]*?^-->$/gm, '')
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (/^ *```/.test(line)) {
      isCode = !isCode
      continue
    }
    const cells = isCode ? [line] : line.replace(/^ *(#+|[-*]|\d+\.|>) /, '').split(/(?<!\\)\||\*+/)
    for (const cell of cells) {
      const text = bare(isCode ? cell : shownOf(cell))
      if (!/^[-:]*$/.test(text) && !shown.includes(text))
        problems.push(`${page}: lacks ${cell.trim().slice(0, 100)}`)
    }
  }
  for (const [, tag, address] of html.matchAll(
    /<(script|link|img|iframe|source)\b[^>]*?(?:src|href)="([^"]+)"/g
  )) {
    if (!address.startsWith(BASE) && !address.startsWith('data:'))
      problems.push(`${page}: a ${tag} loads ${address}`)
  }
  // VitePress itself reports links to missing pages
  for (const [, address] of html.matchAll(/<a\b[^>]*? href="(?!https?:|mailto:)([^"]*#[^"]+)"/g)) {
    const { pathname, hash } = new URL(address, `http://site${BASE}${page}`)
    const target = pathname.slice(BASE.length) || 'index.html'
    if (anchors.get(target)?.has(decodeURIComponent(hash.slice(1))) === false)
      problems.push(`${page}: no such anchor, ${address}`)
  }
}
const loaded = readdirSync(join(SITE, 'assets'), { recursive: true, encoding: 'utf8' }).filter(
  name => name.endsWith('.css')
)
for (const name of loaded)
  if (/url\(["']?(https?:)?\/\//.test(readFileSync(join(SITE, 'assets', name), 'utf8')))
    problems.push(`${name}: loads from elsewhere`)

const whole = readFileSync(join(SITE, 'llms-full.txt'), 'utf8')
const listed = [...readFileSync(join(SITE, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(
  ([, page]) => page
)
for (const page of pageFiles.filter(name => name !== 'index.md' && !/^decisions\/\d/.test(name))) {
  if (!listed.includes(page) || !existsSync(join(SITE, page)))
    problems.push(`llms.txt: lacks ${page}`)
  else if (!whole.includes(readFileSync(join(DOCS, page), 'utf8')))
    problems.push(`llms-full.txt: lacks ${page}`)
}

for (const problem of problems) console.error(problem)
console.log(`${pageFiles.length} pages, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
