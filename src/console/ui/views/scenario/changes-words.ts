/** What changed since the scenario was loaded, in words. */
import { RESOURCE_NAMES } from '../../../../reference/operations.js'
import type { Target } from '../../app/route.js'
import type { Changes } from '../../control/client.js'
import { instantInWords } from '../count.js'
import { FAMILIES } from '../data/records.js'

type Change = readonly [title: string, words: readonly (string | false)[], to?: Target]

export function changesInWords({
  records,
  keys,
  clock,
  script: { added, removed, matched },
  settings
}: Changes): { text: string; to?: Target | undefined }[] {
  const all: readonly Change[] = [
    ...FAMILIES.map((family): Change => [`${RESOURCE_NAMES[family]}s`, countsIn(records[family])]),
    ['API keys', countsIn(keys)],
    ['Clock', [clock.changed && `began ${beganInWords(clock.began)}`], { path: ['clock'] }],
    [
      'Script',
      [
        ...added.map(id => `${id} added`),
        ...removed.map(id => `${id} removed`),
        matched > 0 && `requests matched: ${matched}`
      ],
      { path: ['script'] }
    ],
    ['Settings', settings, { view: 'settings', query: { q: 'changed here' } }]
  ]
  return all.flatMap(([title, words, to]) =>
    words.some(Boolean) ? [{ text: `${title}: ${words.filter(Boolean).join(', ')}`, to }] : []
  )
}

const countsIn = (counts: Readonly<Record<string, number>> = {}) =>
  Object.entries(counts).map(([kind, count]) => count > 0 && `${count} ${kind}`)

const beganInWords = ({ now, running }: Changes['clock']['began']): string =>
  now === null ? 'as the machine’s' : `${running ? 'at' : 'frozen at'} ${instantInWords(now)}`
