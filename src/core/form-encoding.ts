/** Encodes parameters as a form or a query: the reverse of `core/form.ts`. */

export type FormValue =
  | string
  | number
  | boolean
  | null
  | readonly FormValue[]
  | { readonly [name: string]: FormValue }

/**
 * Nested parameters as pairs, with the names in brackets; null is an empty value, which unsets a
 * parameter (UPD-2).
 */
export function pairsOf(
  values: Readonly<Record<string, FormValue>>
): [name: string, value: string][] {
  const pairs: [string, string][] = []
  const add = (name: string, value: FormValue) => {
    if (typeof value !== 'object' || value === null)
      pairs.push([name, value === null ? '' : String(value)])
    else
      for (const [key, part] of Object.entries(value))
        add(`${name}[${Array.isArray(value) ? '' : key}]`, part as FormValue)
  }
  for (const [name, value] of Object.entries(values)) add(name, value)
  return pairs
}

export const encodeForm = (values: Readonly<Record<string, FormValue>>): string =>
  new URLSearchParams(pairsOf(values)).toString()
