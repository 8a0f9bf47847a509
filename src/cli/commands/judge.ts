import type { CommandSpec } from '../command.js'
import { concludeRun, GATES, type GateFlags, reportingOf } from '../judging.js'
import { ADDRESS, type AddressFlags, runningAt, runOf } from '../running.js'
import { SAYS, shellWord } from '../sentences.js'

const LOGIN = /\/\/[^/]*@/

export const JUDGE: CommandSpec = {
  about:
    'Judge the requests that a running emulator received, with the gates and reports of exec; exit 3 if a gate failed.',
  options: [...GATES, ...ADDRESS],
  examples: [
    [
      'judge what a running emulator received',
      'commerce-emulator judge --url http://localhost:4010 --min-coverage 30'
    ]
  ],
  async run(flags: GateFlags & AddressFlags, line) {
    const reporting = await reportingOf(flags)
    const emulator = await runningAt(flags, line.environment)
    const address = shellWord(emulator.url.replace(LOGIN, '//'))
    const next = (name: string) => SAYS.repro_it(shellWord(name), address)
    return concludeRun(await runOf(emulator), null, { ...reporting, next }, line)
  }
}
