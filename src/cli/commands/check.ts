import { CHECK_FORMATS } from '../../reports/formats.js'
import { criteriaFrom } from '../../reports/run.js'
import {
  type CommandLine,
  type CommandSpec,
  listOf,
  namedValueOf,
  option,
  type Pairs,
  PLACES,
  pairOf,
  wholeOf
} from '../command.js'
import { concludeCheck } from '../judging.js'
import { FOLDERS, launchOf, type SettingFlags } from '../launch.js'
import { SAYS } from '../sentences.js'

type CheckFlags = SettingFlags & {
  against?: string
  key?: Pairs
  timeout: number
  format: keyof typeof CHECK_FORMATS
  failOn?: string[]
}

export const CHECK: CommandSpec = {
  about: 'Play scenarios and check their expectations; exit 0 if all hold.',
  argument: ['<file...>', `Scenario files, ${PLACES}`],
  options: [
    option(
      '--against <url>',
      'Base address of a running service to play against and compare with; it gets no script and no control requests.'
    ),
    option(
      '--key <[name=]key>',
      "Key to send to the service instead of the scenario's key NAME; without a name, instead of the first merchant's key.",
      pairOf
    ),
    option(
      '--timeout <ms>',
      'Maximum time to wait for a response from the service, in milliseconds.',
      wholeOf
    ).default(30_000),
    option('--format <format>', 'Format of the report.')
      .choices(Object.keys(CHECK_FORMATS))
      .default('text'),
    option(
      '--fail-on <names...>',
      'More criteria: script, findings, errors, warnings, or a finding by name. Steps and expectations always count.',
      listOf
    ),
    option(
      '--var <name=value>',
      'Value of a scenario variable, or of ${name} in its steps; repeatable.',
      namedValueOf
    ),
    ...FOLDERS
  ],
  examples: [
    ['play a scenario in process, and check what it expects', 'commerce-emulator check ./own.yaml'],
    [
      'play it against a running service, with a JUnit report',
      'commerce-emulator check ./own.yaml --against http://localhost:4010/next \\\n    --key sk_test_merchant --format junit'
    ]
  ],
  async run(flags: CheckFlags, line, places: string[]) {
    const { environment } = line
    refuseContradictions(flags, line)
    const { against = null, key = new Map(), format, timeout } = flags
    const { failOn } = criteriaFrom({ failOn: flags.failOn ?? [] })
    const { check } = await import('../check/check.js')
    const { COMMERCE_API_KEY: defaultKey } = environment
    const keys = new Map([...(defaultKey ? [['', defaultKey] as const] : []), ...key])
    const checked = await check(places, {
      launch: await launchOf(flags, environment),
      against,
      timeout,
      failOn,
      keys,
      variables: flags.var ?? new Map()
    })
    return concludeCheck(checked, line, format)
  }
}

function refuseContradictions({ against, key }: CheckFlags, { program }: CommandLine): void {
  const refuse = (message: string) => program.error(`error: ${message}`)
  if (against === undefined && key) refuse(SAYS.only_against())
  if (against !== undefined && !isBaseAddress(against)) refuse(SAYS.address())
}

/** Without a login, query and fragment. */
const isBaseAddress = (text: string) =>
  URL.canParse(text) && /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(text)
