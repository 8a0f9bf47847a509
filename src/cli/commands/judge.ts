import type { CommandSpec } from '../command.js'
import { CRITERIA, type CriteriaFlags, concludeRun, reportingOf } from '../judging.js'
import { ADDRESS, type AddressFlags, addressOf, readFrom } from '../running.js'
import { SAYS, shellWord } from '../sentences.js'

const LOGIN = /\/\/[^/]*@/

export const JUDGE: CommandSpec = {
  about:
    'Judge the requests that a running emulator received, with the criteria and reports of exec; exit 3 if a criterion failed.',
  options: [...CRITERIA, ...ADDRESS],
  examples: [
    [
      'judge what a running emulator received',
      'commerce-emulator judge --url http://localhost:4010 --min-coverage 30'
    ]
  ],
  async run(flags: CriteriaFlags & AddressFlags, line) {
    const reporting = await reportingOf(flags)
    const address = await addressOf(flags, line.environment)
    const run = await readFrom(address, ({ control }) => control('GET /run'))
    const url = shellWord(address.url.replace(LOGIN, '//'))
    const next = (name: string) => SAYS.repro_it(shellWord(name), url)
    return concludeRun(run, null, { ...reporting, next }, line)
  }
}
