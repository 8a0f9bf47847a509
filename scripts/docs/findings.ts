/** docs/reference/findings.md: the mistakes of clients that are reported. */
import { FINDINGS } from '../../src/evidence/findings.js'
import { page } from './markdown.js'

const INTRODUCTION = `Mistakes that the client under test makes, each reported with the requests that show it: by \`GET /_control/findings\`, and in the reports of \`exec\` and \`judge\`. They are found from what the requests did, whatever rules they kept or broke.

A finding is an error where money or data is at risk, and a warning otherwise. \`--fail-on\` and \`--ignore\` take these names, and \`--fail-on\` also \`errors\`, \`warnings\` and \`findings\` for all: [gates](../ci.md#gates). Exactly when each is found: [evidence](../evidence.md#findings).`

/** The page. */
export const findingsPage = (): string =>
  page(
    'Findings',
    INTRODUCTION,
    ...Object.entries(FINDINGS).flatMap(([name, { severity, about, advice }]) => [
      `## ${name}`,
      `**${severity}** ${about}`,
      `What to do: ${advice}`
    ])
  )
