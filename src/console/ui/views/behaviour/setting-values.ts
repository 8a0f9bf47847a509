/** Settings in groups, and their values as texts. */
import { jsonIn } from '../../../../core/json.js'
import type { ShownSetting } from '../../control/client.js'

export type Named = ShownSetting & { key: string }
export type Group = { name: string; isFixed: boolean; settings: Named[] }
type Filter = { text?: string | undefined; isChangedOnly?: boolean }

const PROCESS = 'process'

/** Settings that match a filter, by the first part of their names; those that can be changed come first. */
export function groupsOf(settings: Readonly<Record<string, ShownSetting>>, { text = '', isChangedOnly = false }: Filter = {}): Group[] {
  const wanted = text.trim().toLowerCase()
  const groups = new Map<string, Group>()
  for (const [key, setting] of Object.entries(settings)) {
    const isFound = [key, setting.about, setting.assumption ?? ''].some(part => part.toLowerCase().includes(wanted))
    if (!isFound || (isChangedOnly && setting.source === 'default')) continue
    const isFixed = setting.scope === PROCESS
    const [first = key] = key.includes('.') ? key.split('.') : [isFixed ? PROCESS : key]
    const group = groups.get(`${isFixed} ${first}`) ?? { name: first, isFixed, settings: [] }
    group.settings.push({ ...setting, key })
    groups.set(`${isFixed} ${first}`, group)
  }
  return [...groups.values()].sort((a, b) => Number(a.isFixed) - Number(b.isFixed))
}

/** A value as it is typed in; null is empty. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}

export const shownValue = (value: unknown): string => textOf(value) || 'none'

/** The value that a text means; one of another type stays a text, which the emulator refuses. */
export function valueIn(text: string, { type, enum: choices }: ShownSetting['schema']): unknown {
  if (choices !== undefined) return choices.find(choice => String(choice) === text) ?? text
  const types = [type ?? []].flat()
  if (types.includes('object')) return jsonIn(text)
  if (types.includes('array')) return text.split(',').map(part => part.trim())
  if (text.trim() === '' && types.includes('null')) return null
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  if (types.includes('integer') && /^-?\d+$/.test(text.trim())) return Number(text)
  return text
}

export function choicesIn({ type, enum: choices }: ShownSetting['schema']): readonly string[] | null {
  if (choices !== undefined) return choices.map(String)
  return type === 'boolean' ? ['true', 'false'] : null
}

export function rangeIn({ minimum, maximum }: ShownSetting['schema']): string {
  return minimum === undefined ? '' : `From ${minimum} to ${maximum}.`
}

export function sourceInWords({ source, given_by, flag, variable }: ShownSetting): string {
  if (source === 'control') return 'changed since the load'
  if (source === 'flag') return `from ${flag.replace(/=$/, '')}`
  if (source === 'environment') return `from ${given_by ?? variable}`
  return source === 'scenario' ? 'from the scenario' : 'the default'
}
