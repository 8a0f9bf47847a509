/** YAML as documents write it, and the state as YAML. */
import { type Document, LineCounter, parseDocument, stringify, visit } from 'yaml'
import type { Step } from '../core/places.js'

type Place = { line: number; column: number }
/** What a YAML text holds, what is wrong with it, and where each part of it is. */
export type ReadYaml = { data: unknown; problems: (Partial<Place> & { message: string })[]; locate: (steps: readonly Step[]) => Place | null }

/** Reads a text as YAML. */
export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: 'error' })
  const problems: ReadYaml['problems'] = [...document.errors, ...document.warnings].map(({ message, pos: [at] }) => ({ message, ...placeOf(at, lines) }))
  let data: unknown
  if (problems.length === 0) {
    try {
      data = document.toJS({ maxAliasCount: 100 })
    } catch (error) {
      problems.push(aliasProblem((error as Error).message))
    }
  }
  return { data, problems, locate: steps => located(document, steps, lines) }

  /** The problem of an alias: one without an anchor has its own place, one that grows without end the document's. */
  function aliasProblem(message: string): Place & { message: string } {
    const [, name] = /^Unresolved alias.*: (.*)$/.exec(message) ?? []
    if (name === undefined) return { message: `${message}; write the parts out instead of repeating aliases`, line: 1, column: 1 }
    let at = 0
    visit(document, {
      Alias: (_, { source, range }) => {
        if (source !== name) return undefined
        at = (range as [number, number, number])[0]
        return visit.BREAK
      }
    })
    return { message, ...placeOf(at, lines) }
  }
}

/** The place of the nearest part that the text holds; a part that came through an alias or a merge has its parent's place. */
function located(document: Document, steps: readonly Step[], lines: LineCounter): Place | null {
  for (let depth = steps.length; depth >= 0; depth--) {
    const node = (depth === 0 ? document.contents : document.getIn(steps.slice(0, depth), true)) as { range?: [number, number, number] } | null | undefined
    if (node?.range) return placeOf(node.range[0], lines)
  }
  return null
}

function placeOf(at: number, lines: LineCounter): Place {
  const { line, col } = lines.linePos(at)
  return { line, column: col }
}

/** Data as YAML text. */
export const yamlText = (data: unknown): string => stringify(data, { lineWidth: 0, aliasDuplicateObjects: false })
