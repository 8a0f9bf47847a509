/**
 * A strict reader of XML and of the HTML that reports are made of: what is not well-formed is an
 * error.
 */

export type Element = {
  name: string
  attributes: Readonly<Record<string, string>>
  text: string
  children: Element[]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
/** Elements of HTML without an end. */
const VOID = ['meta', 'link', 'br']
const TAG =
  /<(?:(\?xml version="1\.0" encoding="UTF-8"\?|!doctype html)|\/([a-z][a-z0-9-]*)|([a-z][a-z0-9-]*)((?: [a-z-]+(?:="[^"<]*")?)*)(\/?))>/y
const NO_CHARACTER = /[^\P{Cc}\t\n\r\x7f-\x9f]|\p{Cs}|[\ufffe\uffff]/u

/** The text with its entities undone. Errors: any other `&`, and what is no character. */
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

/** The element and all below it. */
export const elementsIn = (element: Element): Element[] => [
  element,
  ...element.children.flatMap(elementsIn)
]

/** Elements and the names of their attributes, as far as no text can change them. */
export const structureOf = (source: string): string[] =>
  elementsIn(parseMarkup(source)).map(
    ({ name, attributes, children }) => `${name} ${Object.keys(attributes)} ${children.length}`
  )
