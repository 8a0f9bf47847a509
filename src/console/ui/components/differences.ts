/** What differs between two values, field by field. */

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
