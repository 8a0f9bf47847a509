import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadScenario } from '../../src/sandbox/loading.js'
import { addKey, addRecords } from '../../src/sandbox/records.js'
import { Sandboxes } from '../../src/sandbox/sandboxes.js'
import { DataFolder } from '../../src/sandbox/saved/data-folder.js'
import { changeSettings } from '../../src/sandbox/settings.js'
import type { PresentSandbox } from '../../src/sandbox/state.js'
import { documentOf } from '../../src/scenario/documents.js'
import { Library } from '../../src/scenario/library.js'
import { NOW, smallFixture } from '../support/emulator.js'
import { crashesAt, type RecordedDisk, recordedDisk } from '../support/recorded-disk.js'
import { documentText, fileIn } from '../support/saved-states.js'
import { figure, random } from './support/options.js'

const LAUNCH = { flag: {}, environment: {} }
const CHANGES = figure('POWER_CHANGES', { short: 30, long: 400 })
const CUTS = figure('POWER_CUTS', { short: 3, long: 40 })
const STARTS = figure('POWER_STARTS', { short: 20, long: 2000 })

/** Sandboxes with a data folder on a recorded disk, and their changes. */
async function recorded(t: Test, seed: string) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'power-test-')))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = fileIn(folder)
  const disk = recordedDisk()
  const sandboxes = new Sandboxes({
    library: new Library({ fixtures: null, scenarios: null }),
    launch: LAUNCH,
    machine: () => Date.parse(NOW)
  })
  const users = [1, 2, 3, 4].map(n => ({
    id: `usr_${n}`,
    account: 'mch_a',
    name: 'U',
    email: 'u@example.com'
  }))
  const scenario = documentOf('test', { clock: NOW, data: smallFixture({ users }) })
  await sandboxes.start(scenario, { name: 'test', file: null })
  const data = await DataFolder.take(folder, () => sandboxes.present(), disk.files)
  t.teardown(() => data.close())
  const { below, of } = random(seed, 1)
  let made = 0
  const sandbox = () => {
    const any = of([true, false]) ? sandboxes.main : sandboxes.use(of(['a', 'b']))
    sandboxes.keep(any)
    return any
  }
  const add = (records: object) => addRecords(sandbox(), documentOf('more', records))
  const acts: (() => unknown)[] = [
    () => add({ tickets: [{ location: 'loc_a', reference: `T-${++made}` }] }),
    () =>
      add({
        locations: [
          { account: 'mch_a', display_name: 'é€😀'.repeat(++made), address: { country: 'US' } }
        ]
      }),
    () => add({ transactions: [{ ticket: 'tkt_a', payment_type: 'external', amount: ++made }] }),
    () => {
      const { users } = sandbox().store
      const [user] = users.inCreationOrder()
      if (user) users.remove(user.id)
    },
    () => addKey(sandbox(), 'mch_a'),
    () => changeSettings(sandbox(), { seed: ++made }),
    () => sandbox().setClock({ at: Date.parse(NOW) + ++made }),
    () => sandbox().reset(),
    () => loadScenario(sandbox(), scenario, { name: 'again', file: null }),
    () => sandboxes.all().length > 1 && sandboxes.delete(sandboxes.all()[1]?.name as string)
  ]
  const change = () => acts[below(acts.length)]?.()
  /** The document of the base sandbox if it were written now. */
  const present = async () => {
    const [main] = sandboxes.present() as [PresentSandbox]
    return comparable(await documentText({ ...main, state: main.state.saved }))
  }
  return { folder, file, disk, data, change, present }
}

const comparable = (text: string) => text.replace(/"requests":\d+/, '"requests":0')

/** The states that may be found when the power fails after this many system calls. */
type Moment = { calls: number; least: number; most: number }

/** Tries every state of the device after each system call. Returns their number, and problems. */
function audit(
  { calls }: RecordedDisk,
  file: string,
  states: readonly string[],
  moments: readonly Moment[]
) {
  const problems: string[] = []
  const seen = new Map<string, string>()
  let tried = 0
  for (let count = 0; count <= calls.length; count++) {
    const { least } = moments.filter(moment => moment.calls <= count).at(-1) as Moment
    const { most } = (moments.find(moment => moment.calls > count) ?? moments.at(-1)) as Moment
    const right = states.slice(least, most + 1)
    for (const content of crashesAt(calls, count, file, CUTS)) {
      tried++
      const found = content === null ? NO_FILE : stateIn(content, seen)
      if (!right.includes(found))
        problems.push(
          `after ${count} calls: ${states.includes(found) ? `state ${states.indexOf(found)} of ${least} to ${most}` : found}`
        )
    }
  }
  return { tried, different: seen.size, problems }
}

const NO_FILE = 'no file'

function stateIn(content: Buffer, seen: Map<string, string>): string {
  const text = content.toString()
  let state = seen.get(text)
  if (state === undefined) {
    state = text.endsWith('}') && JSON.parse(text) ? comparable(text) : 'a file that is not whole'
    seen.set(text, state)
  }
  return state
}

for (const [title, fails] of [
  ['power loss after any call of any write', () => false],
  [
    'power loss while writes fail for want of room or for a failed sync',
    (nth: number) => nth % 3 === 2
  ]
] as const)
  t.test(`${title}: every confirmed change is there, and the file is complete`, async t => {
    const { file, disk, data, change, present } = await recorded(t, title)
    const states = [NO_FILE]
    const moments: Moment[] = [{ calls: 0, least: 0, most: 0 }]
    let answered = 0
    for (let nth = 0; nth <= CHANGES; nth++) {
      if (nth > 0) await change()
      const state = await present()
      if (state !== states.at(-1)) states.push(state)
      moments.push({ calls: disk.calls.length, least: answered, most: states.length - 1 })
      if (nth > 0 && fails(nth))
        Object.assign(
          disk,
          [{ room: 40 + nth }, { failsToSync: true }, { room: 7 }][Math.floor(nth / 3) % 3]
        )
      const isSaved = await data.saved().then(
        () => true,
        () => false
      )
      if (isSaved) answered = states.length - 1
      Object.assign(disk, {
        room: Number.POSITIVE_INFINITY,
        failsToSync: false
      })
      moments.push({ calls: disk.calls.length, least: answered, most: states.length - 1 })
    }

    const { tried, different, problems } = audit(disk, file, states, moments)

    t.strictSame(problems.slice(0, 5), [])
    t.ok(tried > 4 * CHANGES && states.length > CHANGES / 4, `${tried} states, ${states.length}`)
    t.ok(
      disk.calls.filter(({ call }) => call === 'rename').length > 2,
      'the file was replaced in between'
    )
    t.comment(
      `${disk.calls.length} calls, ${tried} states of the device, ${different} different files, ${states.length} states of the sandboxes`
    )
  })

t.test(`power loss: the emulator reads what is left, ${STARTS} times`, async t => {
  const { folder, file, disk, data, change } = await recorded(t, 'starts')
  const answered: number[] = []
  for (let nth = 0; nth < CHANGES; nth++) {
    await change()
    await data.saved()
    answered.push(disk.calls.length)
  }
  const contents = new Set<string>()
  for (let count = answered[0] as number; count <= disk.calls.length; count++)
    for (const content of crashesAt(disk.calls, count, file, 2))
      contents.add((content as Buffer).toString('latin1'))
  const each = Math.ceil(contents.size / STARTS)
  const copy = join(folder, 'copy')
  await mkdir(copy)
  let started = 0
  for (const [nth, content] of [...contents].entries()) {
    if (nth % each !== 0) continue
    await writeFile(fileIn(copy), content, 'latin1')
    const again = await DataFolder.take(copy, () => [])
    const sandboxes = await again.read(LAUNCH)
    await again.close()
    if (sandboxes[0]?.name === null) started++
  }
  t.equal(started, Math.ceil(contents.size / each))
  t.comment(`${started} of ${contents.size} different files`)
})
