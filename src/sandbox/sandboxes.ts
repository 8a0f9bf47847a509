/** The sandboxes of a process: the main one, and named ones that are created on first use. */
import { join } from 'node:path'
import { settingsInForce } from '../core/settings.js'
import { Run } from '../evidence/run.js'
import type { Located } from '../scenario/documents.js'
import type { Origin } from '../scenario/loading.js'
import type { FirstState } from '../scenario/scenario.js'
import { heldShare } from '../work/heap.js'
import { Worker } from '../work/worker.js'
import { journalsOf } from './dependencies.js'
import { type GivenOptions, loadScenario } from './loading.js'
import { Sandbox, type SandboxDependencies } from './sandbox.js'
import { fileNameOf } from './saved/names.js'
import { Snapshots } from './saved/snapshots.js'
import { REFUSALS } from './sentences.js'
import type { NamedSandbox, PresentSandbox } from './state.js'

/** Share of memory above which nothing is added. */
const FULL = 0.85

export class Sandboxes {
  readonly main: Sandbox
  readonly worker = new Worker()
  readonly #dependencies: SandboxDependencies
  /** The least recently used first. */
  readonly #named = new Map<string, Sandbox>()
  readonly #settings: ReturnType<typeof settingsInForce>['values']
  #start: FirstState | undefined

  constructor(
    dependencies: SandboxDependencies,
    private readonly usedShare = heldShare
  ) {
    const { values } = settingsInForce(dependencies.launch)
    this.#settings = values
    this.#dependencies = {
      ...dependencies,
      run: new Run(),
      journals: journalsOf(values),
      worker: this.worker
    }
    this.main = this.#new(null)
    this.main.isKept = true
  }

  /** Errors: `limit_reached` (A35). */
  requireRoom(): void {
    if (this.usedShare() >= FULL) throw REFUSALS.noRoom()
  }

  /** Those that are kept: the main one, then the others by name. */
  all(): Sandbox[] {
    const named = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1))
    return [this.main, ...named.flatMap(([, sandbox]) => (sandbox.isKept ? sandbox : []))]
  }

  /** Loads the start scenario. Errors: as of `loadScenario`; nothing changes then. */
  async start(
    document: Located,
    origin: Origin,
    options?: GivenOptions
  ): Promise<FirstState['scenario']> {
    await loadScenario(this.main, document, origin, options)
    this.#start = this.main.requireLoaded()
    return this.#start.scenario
  }

  /** What a data folder keeps; none before the first load. */
  present(): PresentSandbox[] {
    if (!this.main.isLoaded) return []
    return this.all().map(sandbox => {
      const { name, requests, state } = sandbox
      const first = sandbox.requireLoaded()
      const start = name === null && this.#start !== first ? this.#start : undefined
      return { name, first, start, requests, state }
    })
  }

  resume(sandboxes: readonly NamedSandbox[]): void {
    for (const saved of sandboxes) {
      const { name, first, start = first } = saved
      const sandbox = name === null ? this.main : this.#new(name)
      sandbox.resume(saved)
      sandbox.isKept = true
      if (name === null) this.#start = start
      else this.#named.set(name, sandbox)
    }
  }

  /**
   * Creates a named sandbox if there is none; it ends unless one of its requests keeps it.
   * `isPage`: for a page of another site. Errors: `not_ready`, `sandbox_limit`.
   */
  use(name: string, isPage = false): Sandbox {
    const sandbox = this.#named.get(name) ?? this.#create(name, isPage)
    if (!isPage) sandbox.isOfPages = false
    sandbox.uses++
    this.#named.delete(name)
    this.#named.set(name, sandbox)
    return sandbox
  }

  /** After a valid request. Idle sandboxes above the limit end. */
  keep(sandbox: Sandbox): void {
    if (sandbox.isKept) return
    sandbox.isKept = true
    const max = this.#settings['limits.sandboxes']
    if (this.#named.size <= max) return
    const over = Math.max(1, this.all().length - 1 - max)
    for (const idle of this.#idle(sandbox.isOfPages, sandbox).slice(0, over)) {
      this.#end(idle)
      idle.snapshots.end().catch(() => {})
    }
  }

  /** After a failed request: it ends unless another one may keep it. */
  release(sandbox: Sandbox): void {
    if (!sandbox.isKept && --sandbox.uses === 0) this.#end(sandbox)
  }

  get(name: string): Sandbox | undefined {
    const sandbox = this.#named.get(name)
    return sandbox?.isKept ? sandbox : undefined
  }

  /** Errors: `sandbox_unknown`, which lists the others if `listsOthers`. */
  find(name: string, { listsOthers = true } = {}): Sandbox {
    const sandbox = this.get(name)
    if (sandbox) return sandbox
    throw REFUSALS.noSandbox(
      name,
      listsOthers ? this.all().flatMap(({ name }) => name ?? []) : null
    )
  }

  /** With its snapshots; hanging responses are cut. Errors: as of `find`. */
  async delete(name: string): Promise<void> {
    const sandbox = this.find(name)
    this.#end(sandbox)
    await sandbox.snapshots.end()
  }

  #create(name: string, isPage: boolean): Sandbox {
    const start = this.#start ?? this.main.requireLoaded()
    const max = this.#settings['limits.sandboxes']
    const over = this.#named.size + 1 - max
    if (over > 0 && this.#idle(isPage).length < over) throw REFUSALS.tooManySandboxes(max)
    const sandbox = this.#new(name)
    sandbox.isOfPages = isPage
    sandbox.begin(start)
    return sandbox
  }

  #new(name: string | null): Sandbox {
    const { snapshots_dir: folder } = this.#settings
    const sandboxFolder =
      folder && name !== null ? join(folder, 'sandboxes', fileNameOf(name)) : folder
    return new Sandbox(this.#dependencies, name, new Snapshots(sandboxFolder))
  }

  /** Removable sandboxes: those of pages first, then the least recently used. */
  #idle(isForPage: boolean, except?: Sandbox): Sandbox[] {
    const idle = [...this.#named.values()].filter(
      sandbox => sandbox.isKept && sandbox.inFlight === 0 && sandbox !== except
    )
    const mayAll = this.#settings['sandboxes.evict_idle'] && !isForPage
    return [
      ...idle.filter(({ isOfPages }) => isOfPages),
      ...(mayAll ? idle.filter(({ isOfPages }) => !isOfPages) : [])
    ]
  }

  #end(sandbox: Sandbox): void {
    this.#named.delete(sandbox.name as string)
    sandbox.end()
  }
}
