/** Where the parts of a text are, found in one pass for all places that are asked for. */
import type { Step } from '../core/places.js'

/** A line and a column, counted from 1. */
export type Place = { line: number; column: number }
/** `offset` is where the value begins, `name` where its name does, once known. */
export type PlaceTree = { parts: Map<Step, PlaceTree>; offset: number; name: number }
/** `ofNames` says for which parts the place of the name is wanted. */
export type Locate<Places> = (
  places: readonly (readonly Step[])[],
  ofNames?: readonly boolean[]
) => Places

/** Finds the line and the column of an offset. */
export function placesIn(text: string): (offset: number) => Place {
  const starts = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1))
    starts.push(end + 1)
  return offset => {
    let [line, after] = [0, starts.length]
    while (after - line > 1) {
      const middle = (line + after) >> 1
      if ((starts[middle] as number) <= offset) line = middle
      else after = middle
    }
    return { line: line + 1, column: offset - (starts[line] as number) + 1 }
  }
}

/** `note` gives the offsets; a part that is not there has the place of the whole. */
export function located(
  text: string,
  [wanted, ofNames = []]: Parameters<Locate<unknown>>,
  note: (root: PlaceTree) => void
): (Place | null)[] {
  const root = treeOf()
  const paths = wanted.map(steps => {
    const path = [root]
    for (const step of steps) {
      const { parts } = path.at(-1) as PlaceTree
      const part = parts.get(step) ?? treeOf()
      parts.set(step, part)
      path.push(part)
    }
    return path
  })
  note(root)
  const placeOf = placesIn(text)
  return paths.map((path, index) => {
    const { name } = path.at(-1) as PlaceTree
    const offset =
      ofNames[index] && name >= 0 ? name : Math.max(...path.map(({ offset }) => offset))
    return offset < 0 ? null : placeOf(offset)
  })
}

const treeOf = (): PlaceTree => ({ parts: new Map(), offset: -1, name: -1 })
