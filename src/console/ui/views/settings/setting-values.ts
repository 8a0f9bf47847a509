import type { ShownSetting } from '../../control/client.js'
import { matching } from '../data/records.js'

export type Named = ShownSetting & { key: string }

export function groupsOf(
  settings: Readonly<Record<string, ShownSetting>>,
  search = ''
): [name: string, settings: Named[]][] {
  const isWanted = matching(search)
  const groups = new Map<string, Named[]>()
  for (const [key, setting] of Object.entries(settings).sort(([, a], [, b]) =>
    b.scope.localeCompare(a.scope)
  )) {
    const { about, assumption, scope } = setting
    if (!isWanted([key, about, assumption, sourceInWords(setting)])) continue
    const group = key.includes('.')
      ? key.replace(/\..*/, '')
      : { process: 'process', sandbox: key }[scope]
    groups.set(group, [...(groups.get(group) ?? []), { ...setting, key }])
  }
  return [...groups]
}

export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}

export const shownValue = (value: unknown): string => textOf(value) || 'none'

export const choicesIn = ({
  type,
  enum: choices
}: ShownSetting['schema']): readonly string[] | undefined =>
  choices?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined)

export const sourceInWords = ({ source, flag, variable }: ShownSetting): string =>
  ({
    default: 'default',
    control: 'changed here',
    flag: `from ${flag.replace(/=$/, '')}`,
    environment: `from ${variable}`
  })[source] ?? `from the ${source}`
