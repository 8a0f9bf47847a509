/** The commands on a page, each with the output shown for it. */
import { readdirSync, readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** Every hand-written page, by path. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(new URL('docs', root)).flatMap(name =>
    name.endsWith('.md') ? [`docs/${name}`] : []
  ),
  ...readdirSync(new URL('.github', root)).flatMap(name =>
    name.endsWith('.md') ? [`.github/${name}`] : []
  )
]

export const textOf = (page: string): string => readFileSync(new URL(page, root), 'utf8')

/** JSON without white space between its parts; it may contain the marks for omitted parts. */
export const compact = (json: string): string =>
  json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted = '') => quoted)

type Block = {
  line: number
  language: string
  text: string /** What stands between it and the block before, but empty lines. */
  before: string[]
}
/** Commands to run in order, and the last output; null if the page does not show it. */
export type Example = {
  line: number
  commands: readonly string[]
  answer: string | null
  isJson: boolean
}
export type Page = { files: Readonly<Record<string, string>>; examples: readonly Example[] }

/**
 * The fenced blocks of a page, and those in comments that begin with `run`, which prepare the
 * others.
 */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  let before: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^ *(```|<!-- )(\S*)/.exec(line)
    const isEnd: boolean =
      open !== null && (open.language === 'run' ? line === '-->' : /^ *```$/.test(line))
    if (open === null && fence && (fence[1] === '```' || fence[2] === 'run'))
      open = { line: index + 1, language: fence[2] as string, text: '', before }
    else if (open === null) before.push(...(line.trim() === '' ? [] : [line]))
    else if (isEnd) {
      blocks.push(open)
      open = null
      before = []
    } else open.text += `${line}\n`
  }
  return blocks
}

/** The commands of a script: a line that ends in a backslash or inside a quotation continues. */
function commandsIn(script: string): string[] {
  const commands: string[] = []
  let command = ''
  for (const line of script.split('\n')) {
    command += command === '' ? line : `\n${line}`
    const isOpen =
      line.endsWith('\\') ||
      command.replaceAll(/"[^"]*"|[^']/g, part => (part.includes("'") ? part : '')).length % 2 === 1
    if (isOpen) continue
    if (command.trim() !== '' && !command.startsWith('#')) commands.push(command)
    command = ''
  }
  return commands
}

/** Commands after `$ `, each with the output below it. */
function sessionIn({ line, text }: Block): Example[] {
  return text.split(/^\$ /m).flatMap(part => {
    if (part.trim() === '') return []
    const [command = '', ...answer] = part.split('\n')
    return [{ line, commands: [command], answer: answer.join('\n').trim() || null, isJson: false }]
  })
}

/**
 * The commands of a page in order, and its files: blocks whose first line is a comment with a name.
 */
export function readPage(text: string): Page {
  const blocks = blocksOf(text)
  const files = blocks.flatMap(({ text }) => {
    const [, name] = /^(?:#|\/\/) (\.?[\w./-]+\.(?:ya?ml|json|mjs|js|ts))\n/.exec(text) ?? []
    return name === undefined ? [] : [[name, text] as const]
  })
  const examples = blocks.flatMap((block, index): Example[] => {
    if (['', 'text', 'console'].includes(block.language) && block.text.startsWith('$ '))
      return sessionIn(block)
    if (block.language !== 'sh' && block.language !== 'run') return []
    const next = blocks[index + 1]
    // at most one introducing line precedes the output
    const isAnswered =
      next &&
      ['', 'text', 'json'].includes(next.language) &&
      !next.text.startsWith('$ ') &&
      next.before.every(line => /^[^#].*:$/.test(line))
    const answer = isAnswered && block.language === 'sh' ? next.text.trim() : null
    return [
      {
        line: block.line,
        commands: commandsIn(block.text),
        answer,
        isJson: answer !== null && next?.language === 'json'
      }
    ]
  })
  return { files: Object.fromEntries(files), examples }
}
