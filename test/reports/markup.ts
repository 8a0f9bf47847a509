/**
 * A strict reader of XML and of the reports' HTML: anything that is not well-formed is an error.
 */

export type Element = {
  name: string
  attributes: Readonly<Record<string, string>>
  text: string
  children: Element[]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
const VOID = ['meta', 'link', 'br']
const TAG =
  /<(?:(\?xml version="1\.0" encoding="UTF-8"\?|!doctype html)|\/([a-z][a-z0-9-]*)|([a-z][a-z0-9-]*)((?: [a-z-]+(?:="[^"<]*")?)*)(\/?))>/y
const NO_CHARACTER = /[^\P{Cc}\t\n\r\x7f-\x9f]|\p{Cs}|[\ufffe\uffff]/u

/** The text with its entities decoded. Errors: any other `&`, and invalid characters. */
function decoded(text: string): string {
  if (NO_CHARACTER.test(text)) throw new Error(`no character of XML: ${JSON.stringify(text)}`)
  return text.replace(/&(?:(\w+)|#(\d+));|&/g, (all, name, code) => {
    const character =
      name === undefined ? code && String.fromCodePoint(Number(code)) : ENTITIES[name]
    if (character === undefined) throw new Error(`no entity: ${all} in ${text}`)
    return character
  })
}

/** The root element of a document. Errors: the first place that is not well-formed. */
export function parseMarkup(source: string): Element {
  const root: Element = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  const top = () => open.at(-1) as Element
  let at = 0
  while (at < source.length) {
    const next = source.indexOf('<', at)
    const text = source.slice(at, next < 0 ? undefined : next)
    top().text += top().name === 'style' ? text : decoded(text)
    if (next < 0) break
    TAG.lastIndex = next
    const [all, declaration, end, name, attributes, isEmpty] = TAG.exec(source) ?? []
    if (all === undefined) throw new Error(`no tag: ${source.slice(next, next + 80)}`)
    at = next + all.length
    if (declaration !== undefined) continue
    if (end !== undefined) {
      if (open.pop()?.name !== end) throw new Error(`</${end}> ends another element`)
      continue
    }
    const pairs = [...(attributes as string).matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].map(
      ([, name, value = '']) => [name, decoded(value)] as const
    )
    const element: Element = {
      name: name as string,
      attributes: Object.fromEntries(pairs),
      text: '',
      children: []
    }
    top().children.push(element)
    if (!isEmpty && !VOID.includes(element.name)) open.push(element)
  }
  const [first] = root.children
  if (open.length !== 1 || root.children.length !== 1 || root.text.trim() !== '')
    throw new Error(`one root element was expected: ${open.map(({ name }) => name)}`)
  return first as Element
}

export const elementsIn = (element: Element): Element[] => [
  element,
  ...element.children.flatMap(elementsIn)
]

export const structureOf = (source: string): string[] =>
  elementsIn(parseMarkup(source)).map(
    ({ name, attributes, children }) => `${name} ${Object.keys(attributes)} ${children.length}`
  )

const FAILED = ['type? message?', '#text'] as const
const TEXT = ['', '#text'] as const
/** Jenkins's schema junit-10.xsd, by element: its attributes and content, without reruns. */
const JUNIT: Readonly<Record<string, readonly [attributes: string, content: string]>> = {
  testsuites: ['name? time? tests? failures? errors?', 'testsuite'],
  testsuite: [
    'name tests failures errors group? time? timestamp? hostname? id? package? file? log? url?',
    'testsuite properties testcase system-out system-err'
  ],
  testcase: ['name time? classname? group?', 'skipped error failure system-out system-err'],
  properties: ['', 'property'],
  property: ['name value', ''],
  failure: FAILED,
  error: FAILED,
  skipped: FAILED,
  'system-out': TEXT,
  'system-err': TEXT
}

/** Where a document differs from the schema, or its counts from its content. */
export function junitProblems(element: Element): string[] {
  const { name, attributes, text, children } = element
  const [known = '', content = ''] = JUNIT[name] ?? []
  const inside = content.split(' ')
  const cases = elementsIn(element).filter(one => one.name === 'testcase')
  const counted: Readonly<Record<string, number>> = {
    tests: cases.length,
    failures: cases.filter(one => one.children.some(({ name }) => name === 'failure')).length,
    errors: cases.filter(one => one.children.some(({ name }) => name === 'error')).length
  }
  const wrong = [
    ...Object.keys(attributes).filter(one => !known.replaceAll('?', '').split(' ').includes(one)),
    ...known.split(' ').filter(one => one !== '' && !one.endsWith('?') && !(one in attributes)),
    ...Object.keys(counted).filter(
      one => one in attributes && attributes[one] !== String(counted[one])
    ),
    ...('time' in attributes && !/^\d{0,3}(,?\d{3})*(\.\d*)?$/.test(attributes.time as string)
      ? ['time']
      : []),
    ...children.map(({ name }) => name).filter(one => !inside.includes(one)),
    ...(text.trim() !== '' && !inside.includes('#text') ? ['#text'] : [])
  ]
  return [...wrong.map(one => `${name} ${one}`), ...children.flatMap(junitProblems)]
}
