/** Scenarios that an agent writes as a text. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkText } from '../../reports/text.js'
import { check } from '../check/check.js'

/** With a line break, which tells a document from a name. */
export const documentIn = (scenario: string) =>
  /^\s*\{|: /.test(scenario) ? `${scenario}\n` : scenario

export async function checkScenario(scenario: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'scenario-'))
  try {
    const document = documentIn(scenario)
    const file = document.includes('\n') ? join(folder, 'scenario.yaml') : scenario
    if (file !== scenario) await writeFile(file, document)
    const launch = { flag: {}, environment: {} }
    const options = { against: null, keys: new Map(), variables: new Map(), timeout: 0 }
    return checkText(await check([file], { launch, ...options }))
  } finally {
    await rm(folder, { recursive: true })
  }
}
