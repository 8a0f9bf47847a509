/** `commerce-emulator check FILE…`: plays scenarios, and checks what they expect. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeForm, type FormObject } from '../core/form.js'
import type { Step } from '../core/places.js'
import { maskedThroughout, withoutSecrets } from '../core/redaction.js'
import { SecretWords } from '../core/secret-words.js'
import { playIn } from '../engine/play.js'
import { sentIn } from '../engine/scripted.js'
import { REPEATS } from '../evidence/findings.js'
import { explainedUnused, explainedVerdicts } from '../evidence/near-misses.js'
import { isChange, operationAt, operationOf } from '../reference/operations.js'
import { Player } from '../replay/player.js'
import {
  type CheckedFile,
  type PlacedPoint,
  type PlacedProblem,
  type Point,
  withPlaces
} from '../reports/points.js'
import { concerns, type Gate } from '../reports/run.js'
import { Sandbox } from '../sandbox/sandbox.js'
import type { Written } from '../scenario/documents.js'
import type { Expectation } from '../scenario/expect/expectations.js'
import { recordsOf, type StateData, type StateTest } from '../scenario/expect/final-state.js'
import { Tally } from '../scenario/expect/tally.js'
import type { Library } from '../scenario/library.js'
import { operationsOn, type SentCall, shownOn } from '../scenario/match/matching.js'
import { type Explained, explainedMessage } from '../scenario/match/near-misses.js'
import { namesIn, withAnswers } from '../scenario/play/references.js'
import type { SourceDocument } from '../scenario/read/document.js'
import type { Launch } from '../scenario/scenario.js'
import type { Hold } from '../scenario/script.js'
import {
  bindingsOf,
  type Json,
  type Play,
  playSteps,
  type StepBindings,
  type StepCall,
  type StepOutcome
} from '../scenario/steps.js'
import { FAMILIES } from '../store/store.js'
import {
  bindingsFor,
  givenVariables,
  notGiven,
  type PlayedWith,
  scenarioKeyOf
} from './check/scenario-keys.js'
import { NOT_SENT, playOver, type ResponseBounds } from './check/service-calls.js'
import { isMade } from './drift/compare.js'
import { type Drift, driftOf, wasMade } from './drift/drift.js'
import { driftPoints, settingsFor } from './drift/drift-points.js'
import type { PlayedStep } from './drift/replay.js'
import { serviceState } from './drift/service-state.js'
import { problemsOf } from './failures.js'
import type { Progress } from './progress.js'
import { checkFiles } from './scenario-files.js'
import { SAYS, say } from './sentences.js'

export type CheckOptions = PlayedWith &
  ResponseBounds & {
    launch: Launch
    /** Besides steps and expectations. */
    failOn?: readonly Gate[]
    /** Before each file of several, else after each step and each second of a wait. */
    onProgress?: Progress | undefined
  }
/** `own` are the names and keys of the scenario, `bindings` those it is played with. */
type Checking = CheckOptions & {
  sandbox: Sandbox
  title: string
  own: StepBindings
  bindings: StepBindings
  service: Play | null
}
type Found<P = PlacedPoint> = Pick<CheckedFile, 'notes' | 'settings'> & { points: P[] }
/** A shorter key is not masked in reports: it is a word like any other. */
const MIN_KEY = 8
const MAX_SHOWN = 3
/** Ten minutes: the longest that a play really waits at a running service. */
const MAX_WAIT = 600_000
const SECOND = 1000

/** A document that cannot be loaded is a failed point, not an error. */
export async function check(
  places: readonly string[],
  options: CheckOptions
): Promise<CheckedFile[]> {
  const keys = new SecretWords([...options.keys.values()].filter(key => key.length >= MIN_KEY))
  const shown = <T extends { message: string }>(said: T): T => ({
    ...said,
    message: withoutSecrets(said.message, keys)
  })
  const { launch, variables, onProgress } = options
  return checkFiles(
    places,
    { launch, names: [...variables.keys()], onProgress },
    async (file, library, known, isAlone) => {
      const { points, notes, settings } = await checkFile(
        file,
        library,
        known,
        isAlone ? options : { ...options, onProgress: undefined }
      )
      return {
        points: points.map(point => ({ ...shown(point), problems: point.problems.map(shown) })),
        notes: notes.map(note => withoutSecrets(note, keys)),
        settings: settings && maskedThroughout(settings, keys)
      }
    }
  )
}

/** `known` takes names for `--var`: variables, what requests refer to, and records. */
async function checkFile(
  file: string,
  library: Library,
  known: Set<string>,
  options: CheckOptions
): Promise<Found<Point>> {
  const sandbox = new Sandbox({ library, launch: options.launch, machine: Date.now })
  let document: SourceDocument
  let written: Written
  try {
    document = await library.file(file)
    ;({ written } = await sandbox.load(
      document,
      { name: file, file },
      { variables: givenVariables(options, known), keys: options.keys }
    ))
  } catch (error) {
    return {
      points: [{ ...say('valid'), file, problems: problemsOf(error as Error), ms: 0 }],
      notes: [],
      settings: null
    }
  }
  const { steps, play } = sandbox.requireLoaded()
  const called = options.variables.size === 0 ? [] : namesIn(JSON.stringify([steps, play]))
  for (const name of options.variables.keys()) {
    if (
      called.includes(name) ||
      FAMILIES.some(family => sandbox.store[family].get(name) !== undefined)
    )
      known.add(name)
  }
  const own = bindingsOf(sandbox.store)
  const missing = options.against === null ? [] : notGiven(sandbox.requireLoaded(), own, options)
  if (missing.length > 0) {
    const points = await withPlaces([{ ...say('all_given'), problems: missing }], file, written)
    return { points, notes: [SAYS.nothing_sent(options.against as string)], settings: null }
  }
  const service = options.against === null ? null : playOver(options.against, options)
  const bindings = { ...bindingsFor(own, options), error: sandbox.settings['shapes.error'] }
  const { points, ...more } = await checkLoaded({
    ...options,
    sandbox,
    title: document.name,
    own,
    bindings,
    service
  })
  return { ...more, points: await withPlaces(points, file, written) }
}

async function checkLoaded(checking: Checking): Promise<Found> {
  const { sandbox, against } = checking
  const { steps, play, expectations } = sandbox.requireLoaded()
  const tally = new Tally(expectations)
  const used = new Set<string | null>()
  const isPlayedHere = against === null && play.length > 0
  const { points, playedSteps } = await playAll(checking, counting(checking, tally, used))
  const nameOf = (request: string) => playedAs(request, playedSteps).label
  const drift =
    against === null
      ? null
      : await driftOf(playedSteps, sandbox, {
          base: against,
          variables: checking.variables,
          keyHere: key => scenarioKeyOf(key, checking)
        })
  points.push(
    ...(await expectationPoints(isPlayedHere ? sandbox.tally : tally, checking, drift, nameOf))
  )
  if (isPlayedHere) points.push(...(await warningsOn(checking, playedSteps, nameOf)))
  if (drift !== null) points.push(...driftPoints(drift.deviations))
  if (steps.length + play.length === 0)
    points.push({ ...say('sends'), problems: [{ at: [], ...say('no_steps') }] })
  if (drift === null) return { points, notes: [], settings: null }
  const isCompared =
    playedSteps.length === 0 || playedSteps.some(({ outcome }) => outcome.answer.status > 0)
  const made = playedSteps.filter(
    played => wasMade(played) && played.outcome.answer !== NOT_SENT
  ).length
  const keys = [...used].flatMap(key => (key === null ? [] : (scenarioKeyOf(key, checking) ?? [])))
  const names =
    keys.length === 0 ? SAYS.without_key() : SAYS.with_keys([...new Set(keys)].join(', '))
  return {
    points,
    notes: [SAYS.sent(made, against as string, names)],
    settings: isCompared ? settingsFor(drift.deviations) : null
  }
}

/** Counts requests with the keys of the scenario. `used` takes the keys that were sent. */
const counting =
  (checking: Checking, tally: Tally, used: Set<string | null>) =>
  (play: Play): Play =>
  async (call, fault) => {
    used.add(call.key)
    const sent = sentBy({ ...call, key: scenarioKeyOf(call.key, checking) }, checking)
    if (sent === null) return play(call, fault)
    const came = tally.came(sent)
    const answer = await play(call, fault)
    const { status, body } = answer
    tally.ended(came, {
      status,
      isDelivered: status > 0,
      // a 2xx response to a change means that the service made the change
      tookEffect:
        isMade(answer) &&
        isChange(operationOf(sent.operation as NonNullable<SentCall['operation']>)),
      changed: [],
      at: checking.sandbox.machine(),
      body: () => body
    })
    return answer
  }

function sentBy(
  { method, path, query, key, form, headers = {} }: StepCall,
  { sandbox }: Checking
): SentCall | null {
  const { store, settings } = sandbox
  const route = operationAt(method, path)
  if (route === null) return null
  const account = (key !== null && store.keys.get(key)) || null
  const test = headers[settings['evidence.test_header'].toLowerCase()] ?? null
  const [sentQuery, body] = [query, form ?? ''].map(text => decodeForm(text, settings).root) as [
    FormObject,
    FormObject
  ]
  return sentIn(
    store,
    {
      ...route,
      at: sandbox.machine(),
      caller: { account, test, userAgent: headers['user-agent'] ?? null },
      query: sentQuery,
      body,
      settings
    },
    key,
    name => headers[name]
  )
}

async function playAll(
  { sandbox, title, service, bindings, onProgress = () => {} }: Checking,
  counted: (play: Play) => Play
) {
  const { steps, play, answers } = sandbox.requireLoaded()
  const points: PlacedPoint[] = []
  const playedSteps: PlayedStep[] = []
  const total = steps.length + play.length
  let since = performance.now()
  const add = (list: 'steps' | 'play') => (outcome: StepOutcome) => {
    const now = performance.now()
    const problems =
      service === null ? [...outcome.problems, ...holdsOn(sandbox, outcome)] : outcome.problems
    const nth = outcome.at.map(step => (typeof step === 'number' ? step + 1 : step)).join(' ')
    const label = `${list === 'play' ? 'play ' : ''}${nth}. ${outcome.step.do}`
    points.push({
      ...say('step', label),
      problems: problems.map(({ at, ...said }) => ({ at: [list, ...at], ...said })),
      ms: now - since
    })
    playedSteps.push({ place: [list, ...outcome.at], label, outcome })
    since = now
    onProgress(title, Math.min(points.length, total), total)
  }
  onProgress(title, 0, total)
  const stepClient = service ?? playIn(sandbox)
  await playSteps(
    steps,
    play.length > 0 ? stepClient : counted(stepClient),
    bindings,
    add('steps'),
    answers
  )
  // the script acts on these requests and can lose their responses
  const playClient = service ? counted(service) : new Player(sandbox).play
  const wait = service
    ? (ms: number) => waited(Math.min(ms, MAX_WAIT), onProgress)
    : (ms: number) => sandbox.setClock({ by: ms })
  await playSteps(play, playClient, bindings, add('play'), answers, wait)
  return { points, playedSteps }
}

async function waited(ms: number, onProgress: Progress): Promise<void> {
  for (let past = 0; past < ms; past += SECOND) {
    onProgress(SAYS.waiting(), past / SECOND, Math.ceil(ms / SECOND))
    await sleep(Math.min(ms - past, SECOND))
  }
}

function holdsOn(
  { script }: Sandbox,
  { at, call, answer, problems }: StepOutcome
): StepOutcome['problems'] {
  if (problems.length === 0 || answer.fault !== 'hang') return []
  const operation = operationAt(call.method, call.path)?.operation
  const holding = script.listed().find(({ entry: { on, hold, fault }, applied }) => {
    const isLasting = hold !== undefined && hold.for === undefined && fault !== 'hang'
    return isLasting && applied > 0 && operationsOn(on, () => {}).some(held => held === operation)
  })
  if (holding === undefined) return []
  const { until, gate } = holding.entry.hold as Hold
  const how = gate === undefined ? SAYS.until(until as number) : SAYS.at_gate(gate)
  return [{ at, ...say('held', holding.entry.name ?? holding.id, how) }]
}

async function expectationPoints(
  tally: Tally,
  checking: Checking,
  drift: Drift | null,
  nameOf: (request: string) => string
): Promise<PlacedPoint[]> {
  const { store, evidence } = checking.sandbox
  const { steps, play } = checking.sandbox.requireLoaded()
  const verdicts = await explainedVerdicts(tally, {
    store,
    requests: evidence.journal.requests(),
    nameOf
  })
  return Promise.all(
    verdicts.map(async (verdict, index) => {
      const { expectation, wanted, seen, holds, forbidden, message } = verdict
      // of requests that came too soon, their number says nothing
      const isPlain =
        'on' in expectation &&
        expectation.per === undefined &&
        !(forbidden && (expectation.no_sooner_than ?? expectation.no_later_than))
      const counted = holds
        ? []
        : [
            {
              ...verdict,
              at: [],
              code: 'counted',
              message: isPlain
                ? SAYS.counted(seen as number, steps.length + play.length === 0)
                : message
            }
          ]
      const found: readonly (PlacedProblem & Explained)[] =
        'state' in expectation ? await stateProblems(index, checking, drift) : counted
      const problems = found.map(({ at, code, message, ...more }) => ({
        at: ['expect', index, ...at],
        code,
        message: explainedMessage(message, more)
      }))
      return { ...say('expects', wanted), problems }
    })
  )
}

async function stateProblems(
  index: number,
  { sandbox, service, bindings }: Checking,
  drift: Drift | null
): Promise<readonly PlacedProblem[]> {
  const { expectations, answers } = sandbox.requireLoaded()
  const expectation = expectations[index] as Expectation & {
    differences: StateTest
    data: { state: StateData }
  }
  if (service === null || drift === null) return expectation.differences(recordsOf(sandbox.store))
  const accountOf = (user: string) => sandbox.store.users.get(user)?.account
  return serviceState(
    withAnswers(expectation.data.state as Json, answers) as StateData,
    expectation.differences,
    {
      play: service,
      key: bindings.key(''),
      pairs: drift.pairs,
      settings: sandbox.settings,
      accountOf
    }
  )
}

/** A lost response has no Request-Id header, but the number of its request. */
function playedAs(request: string, playedSteps: readonly PlayedStep[]): PlayedStep {
  const calls = playedSteps.filter(wasMade)
  const made =
    calls.find(({ outcome }) => outcome.answer.headers?.['request-id'] === request) ??
    calls[Number(request.split('_').at(-1)) - 1]
  return made as PlayedStep
}

/** Entries that were never applied, and mistakes of the plays: warnings unless they are to fail. */
async function warningsOn(
  { sandbox, failOn = [] }: Checking,
  playedSteps: readonly PlayedStep[],
  nameOf: (request: string) => string
): Promise<PlacedPoint[]> {
  const places = new Map(sandbox.script.listed().map(({ id }, index) => [id, ['script', index]]))
  const looked = { store: sandbox.store, requests: sandbox.evidence.journal.requests(), nameOf }
  const unused = (await explainedUnused(sandbox.script, looked)).map(({ id, entry, ...more }) => ({
    ...say('must_apply', entry.name ?? shownOn(entry.on)),
    problems: [
      {
        at: places.get(id) as Step[],
        code: 'never_applied',
        message: explainedMessage(SAYS.never_applied(), more)
      }
    ],
    isWarning: !failOn.includes('script')
  }))
  const found = sandbox.evidence.totals.findings().map(finding => {
    const played = finding.requests
      .slice(0, MAX_SHOWN)
      .map(request => ({ request, ...playedAs(request, playedSteps) }))
    // the first of those that were sent again may be right
    const shown = REPEATS.has(finding.finding)
      ? played.slice(-1).map(last => ({
          ...last,
          label: played.map(({ label }) => label).join(', ')
        }))
      : played
    const problems = shown.map(({ request, place, label }) => ({
      at: place,
      ...say(
        'caused',
        label,
        finding.about,
        sandbox.evidence.find(request)?.script?.problem ?? finding.advice
      )
    }))
    const isWarning =
      finding.finding !== 'change-not-made' && !failOn.some(gate => concerns(gate, finding))
    return { ...say('must_not_cause', finding.finding), problems, isWarning }
  })
  return [...unused, ...found]
}
