/** The docs site: the pages of this folder as they are, built by `npm run docs:site` without a network, and loading nothing from elsewhere. */

import { readFileSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { defineConfig } from 'vitepress'

const REPOSITORY = 'https://github.com/commerce-emulator/commerce-emulator'
const DOCS = join(import.meta.dirname, '..')
/** What pages link to that is no page. */
const FILES = ['openapi.json', 'openapi.control.json', 'schema']

/** Anchors as GitHub makes them, so that a link works in both places. */
const slugify = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** What the index begins with, and its groups, which are those of the sidebar. */
const [BEGINNING = '', ...GROUPS] = readFileSync(join(DOCS, 'index.md'), 'utf8').split(/^## /m)

function sidebar() {
  return GROUPS.map(group => ({
    text: group.split('\n')[0] as string,
    items: [...group.matchAll(/^- \[([^\]]+)\]\(([^)]+)\.md\)/gm)].map(([, text, link]) => ({
      text: text as string,
      link: `/${link}`
    }))
  }))
}

/** For language models (llmstxt.org): the index as `llms.txt`, its pages in Markdown, and all of them in one file, `llms-full.txt`. */
async function writeForModels(outDir: string) {
  const [, , about] = BEGINNING.split('\n')
  await writeFile(
    join(outDir, 'llms.txt'),
    [`# commerce-emulator\n\n> ${about}\n`, ...GROUPS.map(group => `## ${group.trim()}\n`)].join(
      '\n'
    )
  )
  const pages = sidebar().flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`))
  for (const page of pages) await cp(join(DOCS, page), join(outDir, page))
  await writeFile(
    join(outDir, 'llms-full.txt'),
    pages.map(page => readFileSync(join(DOCS, page), 'utf8')).join('\n---\n\n')
  )
}

export default defineConfig({
  title: 'commerce-emulator',
  description: 'A local emulator of the Commerce Service API',
  lang: 'en',
  base: '/commerce-emulator/',
  markdown: {
    anchor: { slugify },
    // `{id}` in a heading is part of a path
    attrs: { disable: true },
    toc: { slugify },
    linkify: false,
    config(markdown) {
      // what lies outside this folder is in the repository
      markdown.core.ruler.push('repository', ({ tokens, env }) => {
        for (const link of tokens
          .flatMap(({ children }) => children ?? [])
          .filter(({ type }) => type === 'link_open')) {
          const target = link.attrGet('href') as string
          const path = posix.join(posix.dirname(env.relativePath ?? ''), target)
          if (!/^[a-z]+:/.test(target) && path.startsWith('../'))
            link.attrSet('href', `${REPOSITORY}/blob/main/${path.slice(3)}`)
        }
      })
    }
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Reference', link: '/reference/api' }
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: REPOSITORY }]
  },
  async buildEnd({ outDir }) {
    for (const file of FILES) await cp(join(DOCS, file), join(outDir, file), { recursive: true })
    await writeForModels(outDir)
  }
})
