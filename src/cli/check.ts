/** `commerce-emulator check FILE…`: plays a scenario's steps and checks its expectations, in process or against any running service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeForm, type FormLimits } from '../core/form.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import { SecretWords } from '../core/secret-words.js'
import { type GivenSettings, type Settings, settingsInForce } from '../core/settings.js'
import { playIn } from '../engine/play.js'
import { sentIn } from '../engine/scripted.js'
import { isChange, operationAt, operationOf } from '../reference/operations.js'
import { Player } from '../replay/player.js'
import { concerns, type Gate } from '../reports/gates.js'
import { type CheckedFile, countOf, NOTHING_FOUND, type PlacedPoint, type PlacedProblem, type Point, withFailure, withPlaces } from '../reports/points.js'
import { Sandbox } from '../sandbox/sandbox.js'
import type { SourceDocument } from '../scenario/documents.js'
import { type Ending, type Expectation, Tally } from '../scenario/expectations.js'
import { recordsOf, type StateData, type StateTest } from '../scenario/final-state.js'
import { Library } from '../scenario/library.js'
import { operationsOn, type SentCall, shownOn } from '../scenario/matching.js'
import { namesIn } from '../scenario/references.js'
import { bindingsOf, type Launch } from '../scenario/scenario.js'
import type { Hold } from '../scenario/script.js'
import {
  Answers,
  type Play,
  type PlayData,
  playSteps,
  type StepAnswer,
  type StepBindings,
  type StepCall,
  type StepData,
  type StepOutcome
} from '../scenario/steps.js'
import { unknownVariable } from '../scenario/variables.js'
import { FAMILIES, type Store } from '../store/store.js'
import { bindingsFor, givenVariables, type PlayedWith, scenarioKeyOf } from './check/scenario-keys.js'
import { type CallBounds, NOT_SENT, playOver } from './check/service-calls.js'
import { isMade } from './drift/compare.js'
import { type Drift, driftOf, type PlayedStep, wasMade } from './drift/drift.js'
import { driftPoints } from './drift/drift-points.js'
import { serviceState } from './drift/service-state.js'
import { problemsOf } from './failures.js'
import { scenarioFiles } from './scenario-files.js'

export type CheckOptions = PlayedWith &
  CallBounds & {
    launch: Launch
    /** What fails besides steps and expectations: `script` and findings. */
    failOn?: readonly Gate[]
    /** Called before each file's steps and after each step, for a progress bar. */
    onProgress?: (what: string, done: number, total: number) => void
  }

/** Checks the scenarios of files, folders and patterns one after the other. A document that cannot be loaded is a failed point, not an error. */
export async function check(places: readonly string[], options: CheckOptions): Promise<CheckedFile[]> {
  const checked: CheckedFile[] = []
  const keys = new SecretWords([...options.keys.values()].filter(key => key.length >= SHORTEST_KEY))
  const show = (text: string) => withoutSecrets(text, keys)
  const masked = (point: Point): Point => ({
    ...point,
    title: show(point.title),
    problems: point.problems.map(problem => ({ ...problem, message: show(problem.message) }))
  })
  const settings = settingsInForce(options.launch).values
  const library = new Library({ fixtures: settings.fixtures_dir, scenarios: settings.scenarios_dir }, settings)
  const given: GivenNames = { known: new Set(), areAllLoaded: true }
  for await (const { file, leftOut, problem } of scenarioFiles(places, library)) {
    if (problem !== null) checked.push(withFailure(file, 'there is a file to check', { path: '', file, message: problem }))
    else if (leftOut !== null) checked.push({ ...NOTHING_FOUND, file, leftOut })
    else {
      const { points, notes, settings: found } = await checkFile(file, { library, settings, given }, options)
      checked.push({ file, leftOut: null, points: points.map(masked), notes: notes.map(show), settings: found && maskedThroughout(found, keys) })
    }
  }
  return given.areAllLoaded ? [...checked, ...unknownNames(options.variables, given)] : checked
}

/** The names that `--var` can give a value to: the variables of the files, what their calls refer to, and their records. */
type GivenNames = { known: Set<string>; areAllLoaded: boolean }

/** A failure for each name of `--var` that no file knows. */
const unknownNames = (variables: CheckOptions['variables'], { known }: GivenNames): CheckedFile[] =>
  [...variables.keys()]
    .filter(name => !known.has(name))
    .map(name => withFailure(`--var ${name}`, `--var ${name}`, { path: '', message: unknownVariable(name, [...known]) }))

/** Whether the calls of a scenario refer to a name, or a record has it. */
function isNamedIn(sandbox: Sandbox, name: string): boolean {
  const { steps, play } = sandbox.requireLoaded()
  return FAMILIES.some(family => sandbox.store[family].get(name) !== undefined) || namesIn(JSON.stringify([steps, play])).includes(name)
}

/** A key is masked in reports from this length on: a shorter one is a word like any other. */
const SHORTEST_KEY = 8

type Found = Pick<CheckedFile, 'points' | 'notes' | 'settings'>

async function checkFile(
  file: string,
  { library, settings, given }: Pick<Loaded, 'library' | 'settings'> & { given: GivenNames },
  options: CheckOptions
): Promise<Found> {
  const sandbox = new Sandbox({ library, launch: options.launch, machine: Date.now })
  let document: SourceDocument
  try {
    document = await library.file(file)
    await sandbox.load(document, { name: file, file }, { variables: { ...givenVariables(options), known: given.known }, keys: options.keys })
  } catch (error) {
    given.areAllLoaded = false
    return { points: [{ file, title: 'the document is valid', problems: [...problemsOf(error as Error)], ms: 0 }], notes: [], settings: null }
  }
  for (const name of options.variables.keys()) if (isNamedIn(sandbox, name)) given.known.add(name)
  const { points, ...more } = await checkLoaded({ sandbox, settings, document, library }, options)
  return { ...more, points: await withPlaces(points, document) }
}

type Loaded = { sandbox: Sandbox; settings: Settings; document: SourceDocument; library: Library }
type FoundPoints = { points: PlacedPoint[]; notes: string[]; settings: GivenSettings | null }

/** Plays the steps of a scenario that is loaded, then its plays, and judges what it expects by the plays, or by the steps where there are none. */
async function checkLoaded(loaded: Loaded, options: CheckOptions): Promise<FoundPoints> {
  const { sandbox } = loaded
  const { against } = options
  const own = bindingsOf(sandbox.store)
  const bindings = bindingsFor(own, options)
  const service = against === null ? null : playOver(against, options)
  const counted = countedIn(loaded, own, options)
  const { points, playedSteps } = await playAll(loaded, { service, bindings, counting: counted.counting }, options)
  const isPlayedHere = against === null && sandbox.requireLoaded().play.length > 0
  const drift = against === null ? null : await driftFrom(playedSteps, { against, own, loaded, options })
  points.push(...(await expectationPoints(isPlayedHere ? sandbox.tally : counted.tally, loaded, { service, bindings, drift })))
  if (isPlayedHere) points.push(...warningsOn(loaded, playedSteps, options))
  if (drift !== null) points.push(...driftPoints(drift))
  if (points.length === 0) points.push({ title: 'the document is valid; it has no steps and no expectations', problems: [], ms: 0 })
  const isCompared = playedSteps.length === 0 || playedSteps.some(({ outcome }) => outcome.answer.status > 0)
  return {
    points,
    settings: drift !== null && isCompared ? drift.settings : null,
    notes: against === null ? [] : notesOn(playedSteps, { against, used: counted.used, own, options })
  }
}

type Counted = {
  tally: Tally
  /** The keys that calls were sent with. */
  used: Set<string | null>
  /** Makes calls that are counted. */
  counting: (play: Play) => Play
}

/** Counts calls for the expectations of a scenario, as it writes them: a key that was sent in place of its own counts as that one. */
function countedIn({ sandbox, settings }: Loaded, own: StepBindings, options: CheckOptions): Counted {
  const tally = new Tally(sandbox.requireLoaded().expectations)
  const used = new Set<string | null>()
  const counting =
    (play: Play): Play =>
    async (call, fault) => {
      const sent = sentBy({ ...call, key: scenarioKeyOf(call.key, own, options) }, sandbox.store, settings)
      if (sent !== null) tally.count(sent)
      used.add(call.key)
      const answer = await play(call, fault)
      if (sent !== null) tally.count(sent, endingBy(sent, answer))
      return answer
    }
  return { tally, used, counting }
}

type Playing = Pick<Counted, 'counting'> & { service: Play | null; bindings: StepBindings }

/** Makes the calls of the steps and of the plays: a point and an played for each. */
async function playAll(
  { sandbox, document }: Loaded,
  { service, bindings, counting }: Playing,
  options: CheckOptions
): Promise<{ points: PlacedPoint[]; playedSteps: PlayedStep[] }> {
  const { onProgress = () => {} } = options
  const { steps, play } = sandbox.requireLoaded()
  const points: PlacedPoint[] = []
  const playedSteps: PlayedStep[] = []
  const total = steps.length + play.length
  let since = performance.now()
  const add = (list: 'steps' | 'play', outcome: StepOutcome) => {
    const now = performance.now()
    const { at, title } = outcome
    const problems = service === null ? [...outcome.problems, ...holdsOn(sandbox, outcome)] : outcome.problems
    const nth = at.map(step => (typeof step === 'number' ? step + 1 : step)).join(' ')
    const label = `${list === 'play' ? 'play ' : ''}${nth}. ${title}`
    points.push({ title: label, problems: problems.map(({ at, message }) => ({ at: [list, ...at], message })), ms: now - since })
    playedSteps.push({ place: [list, ...at], label, outcome, expect: stepAt({ steps, play }[list], at).expect })
    since = now
    onProgress(document.name, Math.min(points.length, total), total)
  }
  const answers = new Answers([...steps, ...play])
  onProgress(document.name, 0, total)

  const stepClient = service ?? playIn(sandbox)
  await playSteps(steps, play.length > 0 ? stepClient : counting(stepClient), bindings, outcome => add('steps', outcome), answers)
  if (play.length > 0) {
    // the script acts on these requests and can lose their answers
    const playClient = service ? counting(service) : new Player(sandbox).play
    const wait = service ? (ms: number) => sleep(Math.min(ms, MOST_WAITED)) : (ms: number) => sandbox.advanceClock(ms)
    await playSteps(play, playClient, bindings, outcome => add('play', outcome), answers, wait)
  }
  return { points, playedSteps }
}

/** What to say of a call that waited in vain since the script holds it, by the entry that does. */
function holdsOn({ script }: Sandbox, { at, call, answer, problems }: StepOutcome): StepOutcome['problems'] {
  if (problems.length === 0 || answer.fault !== 'hang') return []
  const operation = operationAt(call.method, call.path)?.operation
  const holding = script.listed().find(({ entry, applied }) => {
    const isLasting = entry.hold !== undefined && entry.hold.for === undefined && entry.fault !== 'hang'
    return isLasting && applied > 0 && operationsOn(entry.on, () => {}).some(held => held === operation)
  })
  if (holding === undefined) return []
  const { id, entry } = holding
  const { until, gate } = entry.hold as Hold
  const what =
    gate === undefined ? `until ${until} calls wait; send them with at_once` : `at the gate ${gate}, which no play opens; hold it until a number of calls wait`
  return [{ at, message: `the script entry ${entry.name ?? id} holds this call ${what}, or give hold a for` }]
}

/** A point for each expectation. */
async function expectationPoints(tally: Tally, loaded: Loaded, judging: Judging): Promise<PlacedPoint[]> {
  const points: PlacedPoint[] = []
  for (const [index, { expectation, wanted, seen, holds, message }] of tally.verdicts(loaded.sandbox.store).entries()) {
    const at = ['expect', index]
    const counted = holds ? [] : [{ at: [], message: 'on' in expectation ? `${seen} came` : message }]
    const found = 'state' in expectation ? await stateProblems(index, loaded, judging) : counted
    points.push({ title: `expects ${wanted}`, problems: found.map(({ at: place, message }) => ({ at: [...at, ...place], message })), ms: 0 })
  }
  return points
}

/** The step at a place of its list, where there is one. */
function stepAt(list: readonly PlayData[], [index, , nth]: StepOutcome['at']): StepData {
  const member = list[index as number] as PlayData
  return 'at_once' in member ? (member.at_once[nth as number] as StepData) : (member as StepData)
}

type Against = { against: string; own: StepBindings; loaded: Loaded; options: CheckOptions }

const driftFrom = (playedSteps: readonly PlayedStep[], { against, own, loaded: { document, library }, options }: Against): Promise<Drift> =>
  driftOf(playedSteps, {
    document,
    library,
    launch: options.launch,
    base: against,
    variables: options.variables,
    keys: options.keys,
    keyHere: key => scenarioKeyOf(key, own, options)
  })

type Judging = { service: Play | null; bindings: StepBindings; drift: Drift | null }

/** How the records differ from an expected state: here, or as far as a running service lets them be read. */
async function stateProblems(index: number, { sandbox }: Loaded, { service, bindings, drift }: Judging): Promise<PlacedProblem[]> {
  const expectation = sandbox.requireLoaded().expectations[index] as Expectation & { differences: StateTest; data: { state: StateData } }
  if (service === null || drift === null) return expectation.differences(recordsOf(sandbox.store))
  const { records, unread } = await serviceState(expectation.data.state, {
    play: service,
    key: bindings.key(''),
    pairs: drift.pairs,
    accountOf: user => sandbox.store.users.get(user)?.account
  })
  const isRead = ({ at }: PlacedProblem) => !unread.some(part => part.at.every((step, depth) => at[depth] === step))
  return [...unread, ...expectation.differences(records).filter(isRead)]
}

/** Script entries that were never applied, and mistakes that the plays make; a warning each, unless it is to fail. */
function warningsOn({ sandbox, document }: Loaded, playedSteps: readonly PlayedStep[], { failOn = [] }: CheckOptions): PlacedPoint[] {
  const entries = sandbox.script.listed()
  const written = ((document.data as { script?: unknown[] } | null)?.script ?? []).length
  const unused = entries.flatMap(({ entry, applied }, index) => {
    if (applied > 0) return []
    const title = `the script entry ${entry.name ?? shownOn(entry.on)} applies`
    const at = index < written ? ['script', index] : ['script']
    return [{ title, problems: [{ at, message: 'it never applied to a play' }], ms: 0, isWarning: !failOn.includes('script') }]
  })
  const calls = playedSteps.filter(wasMade)
  const found = sandbox.evidence.totals.findings().map(finding => {
    const shown = finding.requests.slice(0, MOST_SHOWN).map(request => {
      // an answer that was lost names no call: its number counts the calls before it
      const made = calls.find(({ outcome }) => outcome.answer.headers?.['request-id'] === request) ?? calls[Number(request.split('_').at(-1)) - 1]
      return { at: made?.place ?? ['play'], message: `${made?.label ?? request}: ${finding.about} ${finding.advice}` }
    })
    return { title: `no finding ${finding.finding}`, problems: shown, ms: 0, isWarning: !failOn.some(gate => concerns(gate, finding)) }
  })
  return [...unused, ...found]
}

/** Calls that are shown of a finding. */
const MOST_SHOWN = 3

/** What is sent to a running service, and with which keys. */
function notesOn(
  playedSteps: readonly PlayedStep[],
  { against, used, own, options }: Omit<Against, 'loaded'> & { used: ReadonlySet<string | null> }
): string[] {
  const made = playedSteps.filter(played => wasMade(played) && played.outcome.answer !== NOT_SENT).length
  const keys = [...used].flatMap(key => (key === null ? [] : (scenarioKeyOf(key, own, options) ?? [])))
  const names = keys.length === 0 ? 'without a key' : `with the keys given for ${[...new Set(keys)].join(', ')}`
  return [`${countOf(made, 'call')} sent to ${against}, ${names}; no control call, no script, no records`]
}

/** A call as the scenario's expectations match it; null where it is none of the reference. */
function sentBy({ method, path, query, key, form }: StepCall, store: Store, limits: FormLimits): SentCall | null {
  const route = operationAt(method, path)
  if (route === null) return null
  const account = (key !== null && store.keys.get(key)) || null
  return sentIn(store, { ...route, account, query: decodeForm(query, limits).root, body: decodeForm(form ?? '', limits).root }, key)
}

/** What became of a call, as far as its answer says so: a service that answers a change with a 2xx has made it. */
const endingBy = ({ operation }: SentCall, answer: StepAnswer): Ending => ({
  status: answer.status,
  isDelivered: answer.status > 0,
  tookEffect: isMade(answer) && isChange(operationOf(operation))
})

/** The longest that a play really waits at a running service, ten minutes. */
const MOST_WAITED = 600_000
