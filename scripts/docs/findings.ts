/** docs/reference/findings.md: the mistakes of clients that are reported. */
import { FINDINGS } from '../../src/evidence/findings.js'
import { anchor, code, page, table } from './markdown.js'

const INTRODUCTION = `Mistakes that the client under test makes, each reported with the requests that show it: by \`GET /_control/findings\`, and in the reports of \`exec\` and \`judge\`. They are found from what the requests did, whatever rules they passed or violated.

A finding is an error where money or data is at risk, and a warning otherwise. \`--fail-on\` and \`--ignore\` take these names, and \`--fail-on\` also \`errors\`, \`warnings\` and \`findings\` for all: [in CI](../ci.md). Exactly when each is found: [evidence](../evidence.md#findings).`

/** The page. */
export const findingsPage = (): string =>
  page(
    'Findings',
    INTRODUCTION,
    table(
      ['finding', 'severity', 'what happened', 'what to do'],
      Object.entries(FINDINGS).map(([name, { severity, about, advice }]) => [
        `${anchor(name)}${code(name)}`,
        severity,
        about,
        advice
      ])
    )
  )
