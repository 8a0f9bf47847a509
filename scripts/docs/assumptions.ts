/** docs/reference/assumptions.md: how the emulator responds where the reference is silent. */
import {
  ASSUMPTION_IDS,
  ASSUMPTIONS,
  type Assumption,
  type AssumptionId
} from '../../src/reference/assumptions.js'
import { codesBy } from './errors.js'
import { anchor, errorLink, page, settingLink, table, withCode } from './markdown.js'

const INTRODUCTION = `How the emulator responds where the reference says "not shown" or "not stated". None of it is documented behaviour of the service. If you have seen the service respond differently, change the setting.

A01, A33 and A34 apply to every response; \`GET /_control/assumptions\` counts the responses that rely on each other assumption, so that you can see which of your tests depend on it. Where an assumption is the reason for a refusal, the error has \`assumption\` instead of \`rule\`.`

function row(id: AssumptionId): readonly string[] {
  const { topic, default: text, settings }: Assumption = ASSUMPTIONS[id]
  return [
    `${anchor(id.toLowerCase())}${id}`,
    `**${topic}**: ${withCode(text)}`,
    settings.map(settingLink).join(', '),
    codesBy(id).map(errorLink).join(', ')
  ]
}

/** The page. */
export const assumptionsPage = (): string =>
  page(
    'Assumptions',
    INTRODUCTION,
    table(['id', 'what is assumed', 'changed by', 'refuses with'], ASSUMPTION_IDS.map(row))
  )
