import { once } from 'node:events'
import { visible } from '../../core/visible.js'
import { type CommandSpec, option, PLACES } from '../command.js'
import { concludeCheck } from '../judging.js'
import { FOLDERS, launchOf, type SettingFlags, VAR } from '../launch.js'
import { SAYS } from '../sentences.js'

export const VALIDATE: CommandSpec = {
  about: 'Check scenario and fixture files; exit 0 if all are valid.',
  argument: ['<file...>', `Scenario or fixture files, ${PLACES}`],
  options: [
    option(
      '--watch',
      'Validate again whenever one of the files, or a file that they use, changes, until Ctrl-C.'
    ),
    VAR,
    ...FOLDERS
  ],
  examples: [
    ['every problem of a document, with its line', 'commerce-emulator validate ./own.yaml'],
    ['the same after each change', 'commerce-emulator validate ./own.yaml --watch']
  ],
  async run(
    { watch = false, ...flags }: SettingFlags & { watch?: boolean },
    line,
    places: string[]
  ) {
    const { validate } = await import('../check/validate.js')
    const launch = await launchOf(flags, line.environment)
    const read = new Set<string>()
    const validateAll = async () => concludeCheck(await validate(places, launch, read), line)
    let status = await validateAll()
    if (!watch) return status
    const { watchFiles } = await import('../../watching.js')
    const stop = watchFiles(read, async file => {
      line.stdout.write(`\n${visible(SAYS.changed(file))}\n`)
      status = await validateAll()
    })
    await once(process, 'SIGINT')
    await stop()
    return status
  }
}
