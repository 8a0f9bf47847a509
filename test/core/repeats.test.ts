/** The cost of a regular expression of src/ on a long text, computed from its source. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))
/** Characters that two repeats may share. */
const SAMPLES = [...Array.from({ length: 127 }, (_, code) => String.fromCharCode(code)), 'é', '漢']

/** The characters of an unbounded repeat. */
type Repeated = { source: string; has: readonly boolean[] }
/** The characters at both ends of a part of an expression, and whether it may be empty. */
type Part = { first: readonly Repeated[]; last: readonly Repeated[]; isEmpty: boolean }

const ATOM =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|[xu][\da-f]{2,4}|k<\w+>|.)|\((?:\?(?:<?[=!]|:|<\w+>))?|[^\\]/giy
const COUNT = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y

/** Repeats that share characters, with nothing between them. */
function problemsOf(given: string, flags: string): string[] {
  // a repeat of any characters at the end never backtracks
  const source = flags.includes('s') ? given.replace(/\(?\.\*\)?\$?$/, '') : given
  const problems = new Set<string>()
  let at = 0
  const met = (left: readonly Repeated[], right: readonly Repeated[]) => {
    for (const one of left)
      for (const other of right)
        if (one.has.some((has, nth) => has && other.has[nth]))
          problems.add(`${one.source} ${other.source}`)
  }
  const matched = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(source)
    if (match) at = pattern.lastIndex
    return match
  }
  const joined = (one: Part, other: Part): Part => {
    met(one.last, other.first)
    return {
      first: one.isEmpty ? [...one.first, ...other.first] : one.first,
      last: other.isEmpty ? [...one.last, ...other.last] : other.last,
      isEmpty: one.isEmpty && other.isEmpty
    }
  }
  const empty: Part = { first: [], last: [], isEmpty: true }
  function choice(): Part {
    const ways = [empty]
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++
        ways.push(empty)
      } else ways.push(joined(ways.pop() as Part, counted()))
    }
    at++
    return {
      first: ways.flatMap(({ first }) => first),
      last: ways.flatMap(({ last }) => last),
      isEmpty: ways.some(({ isEmpty }) => isEmpty)
    }
  }
  function counted(): Part {
    const [atom] = matched(ATOM) as RegExpExecArray
    const isGroup = atom.startsWith('(')
    const part = isGroup ? choice() : { ...empty, isEmpty: /^(?:[$^]|\\b)$/i.test(atom) }
    if (/^\(\?<?[=!]/.test(atom)) return empty
    const [, sign, least, comma, most] = matched(COUNT) ?? []
    const isUnbounded = sign === '*' || sign === '+' || (comma === ',' && most === '')
    const isEmpty = part.isEmpty || sign === '*' || sign === '?' || least === '0'
    if (isGroup) {
      if (isUnbounded) met(part.last, part.first)
      return { ...part, isEmpty }
    }
    if (!isUnbounded) return { ...part, isEmpty }
    const own = new RegExp(`^${atom}$`, flags.replace(/[gy]/g, ''))
    const repeats = [{ source: atom, has: SAMPLES.map(text => own.test(text)) }]
    return { first: repeats, last: repeats, isEmpty }
  }
  const { first } = choice()
  // an unanchored search begins with a repeat of anything
  if (
    !/^(?:\^|\(\?<)/.test(source) &&
    !/^(?:\[(?:\\.|[^\]\\])+\]|\\?.)(?:[+*]|\{\d,\})$/.test(source)
  )
    for (const { source } of first) problems.add(`search ${source}`)
  return [...problems]
}

t.test('repeats that share characters are found, others are not', t => {
  const wrong = String.raw`^\s*(.*?)\s*$ ^(a+)+$ ^a*b?a*$ [^a]*[[\].]x ^(?:a|b+)b*c \/+$ ^\w{2,}\d+x`
  const right = String.raw`^a*ba* [a-z]+ (?<!\/)\/+$ ^(?:-\t+)*x ^\s*(?=a)b*$ ^a{2,9}a*$ ^[^[\]]*\[+`
  for (const source of wrong.split(' ')) t.not(problemsOf(source, '').length, 0, source)
  for (const source of right.split(' ')) t.strictSame(problemsOf(source, ''), [], source)
  t.end()
})

t.test('no regular expression of src/ repeats what its neighbour repeats', async t => {
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.startsWith('console/ui')) continue
    const tree = ts.createSourceFile(file, readFileSync(SRC + file, 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? []
        t.strictSame(problemsOf(source, flags), [], `${file}: ${node.text}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(tree)
  }
})
