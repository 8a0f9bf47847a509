/** The sandboxes of a process: at the base address, and by name, made on first use. */
import { join } from 'node:path'
import { settingsInForce } from '../core/settings.js'
import { JournalBudget } from '../evidence/journal.js'
import { Run } from '../evidence/run.js'
import type { FirstState } from '../scenario/scenario.js'
import { heldShare } from '../work/heap.js'
import { Worker } from '../work/worker.js'
import { fileNameOf } from './names.js'
import { Sandbox, type SandboxDependencies } from './sandbox.js'
import { REFUSALS } from './sentences.js'
import { Snapshots } from './snapshots.js'
import type { PresentSandboxes, SavedSandboxes } from './state.js'

/** A named sandbox; `uses` counts the requests that may still keep it, until one does. */
type NamedSandbox = { sandbox: Sandbox; uses: number }

/** Shares of the memory: beyond the first, small sandboxes alone have room; beyond the second none. */
const HIGH = 0.75
const FULL = 0.85

export class Sandboxes {
  /** The one at the base address. */
  readonly main: Sandbox
  readonly worker: Worker
  readonly #dependencies: SandboxDependencies
  /** The least recently used first. */
  readonly #named = new Map<string, NamedSandbox>()
  readonly #max: number
  readonly #evictsIdle: boolean
  readonly #maxSnapshots: number
  /** Has the snapshots, and a folder for each named sandbox; null keeps them in memory. */
  readonly #folder: string | null
  #start: FirstState | undefined
  readonly #held: () => number

  /** `held` is the share of the memory that is in use. */
  constructor(dependencies: SandboxDependencies, held = heldShare) {
    const { values } = settingsInForce(dependencies.launch)
    this.#max = values['limits.sandboxes']
    this.#evictsIdle = values['sandboxes.evict_idle']
    this.#folder = values.snapshots_dir
    this.#maxSnapshots = values['limits.snapshots']
    this.#held = held
    this.worker = new Worker()
    this.#dependencies = {
      ...dependencies,
      run: new Run(),
      journals: new JournalBudget(values['limits.journal_total']),
      worker: this.worker
    }
    this.main = new Sandbox(this.#dependencies, {
      snapshots: new Snapshots(this.#folder, this.#maxSnapshots)
    })
    this.main.isKept = true
  }

  /**
   * When memory is short, first where there is more than in others. Errors: `limit_reached` (A35).
   */
  requireRoom(sandbox: Sandbox): void {
    const held = this.#held()
    if (held >= FULL || (held >= HIGH && this.#isLarge(sandbox))) throw REFUSALS.noRoom()
  }

  /** Whether a sandbox holds more records than others do on average. */
  #isLarge(sandbox: Sandbox): boolean {
    const all = this.all()
    return sandbox.store.size * all.length > all.reduce((sum, { store }) => sum + store.size, 0)
  }

  /** Every sandbox that is kept, the one at the base address first, then by name. */
  all(): Sandbox[] {
    const named = [...this.#named]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { sandbox }]) => sandbox)
    return [this.main, ...named.filter(({ isKept }) => isKept)]
  }

  /**
   * Loads what every sandbox begins with. Errors: as of `Sandbox.load`; nothing is changed then.
   */
  async start(...given: Parameters<Sandbox['load']>): Promise<FirstState['scenario']> {
    await this.main.load(...given)
    this.#start = this.main.requireLoaded()
    return this.#start.scenario
  }

  get present(): PresentSandboxes {
    const sandboxes = this.all().map(sandbox => ({
      name: sandbox.name,
      first: sandbox.requireLoaded(),
      requests: sandbox.requests,
      state: sandbox.state
    }))
    return { start: this.#start as FirstState, sandboxes }
  }

  resume({ start, sandboxes }: SavedSandboxes): void {
    this.#start = start
    for (const saved of sandboxes) {
      const sandbox = saved.name === null ? this.main : this.#new(saved.name)
      sandbox.resume(saved)
      sandbox.isKept = true
      if (saved.name !== null) this.#named.set(saved.name, { sandbox, uses: 0 })
    }
  }

  /**
   * A named sandbox, created from the start scenario if there is none; it ends unless one of its
   * requests keeps it. `isPage`: for a page of another site.
   * Errors: `not_ready`, `sandbox_limit`.
   */
  use(name: string, isPage = false): Sandbox {
    const named = this.#named.get(name) ?? { sandbox: this.#make(name, isPage), uses: 0 }
    if (!isPage) named.sandbox.isOfPages = false
    named.uses++
    this.#named.delete(name)
    this.#named.set(name, named)
    return named.sandbox
  }

  /**
   * Its request is right, so it stays. At the limit an idle one ends, and more if they were busy
   * before.
   */
  keep(sandbox: Sandbox): void {
    if (sandbox.isKept) return
    sandbox.isKept = true
    if (this.#named.size <= this.#max) return
    const kept = this.all().length - 1
    for (const idle of this.#idle(sandbox.isOfPages, sandbox).slice(
      0,
      Math.max(1, kept - this.#max)
    )) {
      this.#end(idle.name as string)
      idle.snapshots.end().catch(() => {})
    }
  }

  /** A request of it has failed: it ends unless another one keeps it. */
  release(sandbox: Sandbox): void {
    if (sandbox.isKept) return
    const named = this.#named.get(sandbox.name as string) as NamedSandbox
    if (--named.uses === 0) this.#end(sandbox.name as string)
  }

  get(name: string): Sandbox | undefined {
    const sandbox = this.#named.get(name)?.sandbox
    return sandbox?.isKept ? sandbox : undefined
  }

  /** Errors: `sandbox_unknown`, which names those that exist, if the caller may know them. */
  find(name: string, { namesOthers = true } = {}): Sandbox {
    const sandbox = this.get(name)
    if (sandbox === undefined)
      throw REFUSALS.noSandbox(
        name,
        namesOthers ? this.all().flatMap(({ name }) => name ?? []) : null
      )
    return sandbox
  }

  /**
   * Its records, journal and snapshots are gone, and hanging responses are cut. Errors: as of
   * `find`.
   */
  async delete(name: string): Promise<void> {
    const sandbox = this.find(name)
    this.#end(name)
    await sandbox.snapshots.end()
  }

  #make(name: string, isPage: boolean): Sandbox {
    this.main.requireLoaded()
    const over = this.#named.size + 1 - this.#max
    if (over > 0 && this.#idle(isPage).length < over) {
      const advice = this.#evictsIdle ? 'busy' : 'full'
      throw this.#max === 0
        ? REFUSALS.noSandboxes()
        : REFUSALS.tooManySandboxes(this.#named.size, isPage ? 'page' : advice)
    }
    const sandbox = this.#new(name)
    sandbox.isOfPages = isPage
    sandbox.begin(this.#start as FirstState)
    return sandbox
  }

  #new(name: string): Sandbox {
    const folder = this.#folder && join(this.#folder, 'sandboxes', fileNameOf(name))
    return new Sandbox(this.#dependencies, {
      name,
      snapshots: new Snapshots(folder, this.#maxSnapshots)
    })
  }

  /**
   * Those that may make room, the least recently used first: those of pages alone, then others,
   * unless for a page.
   */
  #idle(isForPage: boolean, except?: Sandbox): Sandbox[] {
    const idle = [...this.#named.values()]
      .map(({ sandbox }) => sandbox)
      .filter(one => one.isKept && one.inFlight === 0 && one !== except)
    const others = this.#evictsIdle && !isForPage ? idle.filter(({ isOfPages }) => !isOfPages) : []
    return [...idle.filter(({ isOfPages }) => isOfPages), ...others]
  }

  #end(name: string): void {
    const { sandbox } = this.#named.get(name) as NamedSandbox
    this.#named.delete(name)
    sandbox.end()
  }
}
