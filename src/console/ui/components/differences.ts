/** What differs between two values, field by field, and between two texts, line by line. */

/** Pairs of lines that are compared; more would take too long while somebody types. */
const MAX_COMPARED = 4_000_000

export type Difference = { path: string; before: unknown; after: unknown }

const isParted = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** The innermost fields that differ; undefined is a field that is not there. */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (!isParted(before) || !isParted(after) || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap(name =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`)
  )
}

export type Line = { side: 'both' | 'before' | 'after'; text: string }

/**
 * The fewest lines that make one text of another. Of texts that differ in very many lines all are
 * different.
 */
export function linesDiffering(before: string, after: string): Line[] {
  const [old, now] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')]
  const width = now.length + 1
  // how many lines both have from a place on
  const common = new Uint16Array(
    old.length * now.length > MAX_COMPARED ? 0 : (old.length + 1) * width
  )
  for (let at = old.length - 1; at >= 0 && common.length > 0; at--) {
    for (let to = now.length - 1; to >= 0; to--) {
      const [down, right, both] = [
        (at + 1) * width + to,
        at * width + to + 1,
        (at + 1) * width + to + 1
      ]
      common[at * width + to] =
        old[at] === now[to]
          ? (common[both] as number) + 1
          : Math.max(common[down] as number, common[right] as number)
    }
  }
  const lines: Line[] = []
  for (let at = 0, to = 0; at < old.length || to < now.length; ) {
    const isOld =
      at < old.length &&
      (to === now.length ||
        (common[(at + 1) * width + to] ?? 0) >= (common[at * width + to + 1] ?? 0))
    if (common.length > 0 && old[at] === now[to]) {
      lines.push({ side: 'both', text: old[at++] as string })
      to++
    } else if (isOld) lines.push({ side: 'before', text: old[at++] as string })
    else lines.push({ side: 'after', text: now[to++] as string })
  }
  return lines
}
