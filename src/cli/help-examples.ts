/** The examples in the help of each command: what a command line is for, and the line. */

type Example = readonly [about: string, line: string]

const EXAMPLES = {
  start: [
    ['your own scenario, on a free port', 'commerce-emulator start --port 0 --scenario ./own.yaml'],
    ['a state that outlives the process', 'commerce-emulator start --data ./state.json']
  ],
  new: [['a scenario to start from, in own.yaml', 'commerce-emulator new own']],
  validate: [['every problem of a document, with its line', 'commerce-emulator validate ./own.yaml']],
  check: [
    ['play a scenario in process and judge what it expects', 'commerce-emulator check ./own.yaml'],
    [
      'play it against a running service, and report as JUnit',
      'commerce-emulator check ./own.yaml --against http://localhost:4010/next \\\n    --key sk_test_merchant --format junit'
    ]
  ],
  exec: [
    [
      'run a test suite against an emulator of its own, and judge its calls',
      'commerce-emulator exec --fail-on errors expectations --report reports \\\n    -- npm test'
    ]
  ],
  record: [['write what a test does as a scenario', 'commerce-emulator record --out refunds.yaml -- npm test']],
  repro: [['the smallest scenario that answers a call as it was answered', 'commerce-emulator repro req_3 > refused.yaml']],
  judge: [['judge what a running emulator was sent', 'commerce-emulator judge --url http://localhost:4010 --min-coverage 30']],
  coverage: [['add up the coverage of several jobs', 'commerce-emulator coverage merge reports']],
  'coverage merge': [['add up several jobs and ask for 80 %', 'commerce-emulator coverage merge --min-coverage 80 reports']],
  healthcheck: [['wait until an emulator is ready', 'until commerce-emulator healthcheck --port 4010; do sleep 0.1; done']]
} as const satisfies Readonly<Record<string, readonly Example[]>>

/** The examples of a command as its help ends in them. */
export function examplesOf(command: keyof typeof EXAMPLES): string {
  const lines = EXAMPLES[command].map(([about, line]) => `  # ${about}\n  ${line}`)
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n\n')}`
}
