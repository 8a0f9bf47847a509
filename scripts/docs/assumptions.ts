/** docs/reference/assumptions.md: what the emulator answers where the reference is silent. */
import {
  ASSUMPTION_IDS,
  ASSUMPTIONS,
  type Assumption,
  type AssumptionId
} from '../../src/reference/assumptions.js'
import { codesBy } from './errors.js'
import { alternatives, code, errorLink, page, settingLink, table, withCode } from './markdown.js'

const INTRODUCTION = `How the emulator responds where the reference says "not shown" or "not stated". None of it is documented behaviour of the service. If you have seen the service respond differently, change the setting.

A01, A33 and A34 apply to every response; \`GET /_control/assumptions\` counts the responses that rely on each of the others, so that you can see which of your tests depend on one. Where an assumption is the reason for a refusal, the error has \`assumption\` instead of \`rule\`.`

function section(id: AssumptionId): string {
  const { topic, default: text, settings }: Assumption = ASSUMPTIONS[id]
  const refusals = codesBy(id)
  const notes = [
    ...(settings.length > 0 ? [`- Changed by ${settings.map(settingLink).join(', ')}.`] : []),
    ...(refusals.length > 0 ? [`- It refuses with ${alternatives(refusals.map(errorLink))}.`] : [])
  ]
  return [
    `### ${id}`,
    `**${topic}**: ${withCode(text)}.`,
    ...(notes.length > 0 ? [notes.join('\n')] : [])
  ].join('\n\n')
}

/** Settings in few words: a whole group as `statuses.*`. */
function changedBy(settings: readonly string[]): string {
  const groups = new Set(settings.map(key => key.slice(0, key.lastIndexOf('.') + 1)))
  const [group] = groups
  const isGroup =
    settings.length > 2 && groups.size === 1 && group !== 'limits.' && group !== 'pagination.'
  return isGroup ? code(`${group}*`) : settings.map(code).join(', ')
}

/** The page. */
export const assumptionsPage = (): string =>
  page(
    'Assumptions',
    INTRODUCTION,
    table(
      ['id', 'topic', 'changed by'],
      ASSUMPTION_IDS.map(id => [
        `[${id}](#${id.toLowerCase()})`,
        ASSUMPTIONS[id].topic,
        changedBy(ASSUMPTIONS[id].settings)
      ])
    ),
    '## Each assumption',
    ...ASSUMPTION_IDS.map(section)
  )
