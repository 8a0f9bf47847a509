/** The sandboxes of one process: the one at the base address, and those that are made by name on first use. */
import { join } from 'node:path'
import { ApiError } from '../core/errors.js'
import { didYouMean, sentence } from '../core/nearest.js'
import { settingsInForce } from '../core/settings.js'
import { ReadingRoom } from '../scenario/room.js'
import type { FirstState } from '../scenario/scenario.js'
import { Sandbox, type SandboxDependencies, type SavedSandbox } from './sandbox.js'

/** The sandboxes of a process as a data file keeps them, and the first state that new ones begin with. */
export type SavedSandboxes = { start: FirstState; sandboxes: readonly SavedSandbox[] }
/** A named sandbox, with how many calls have asked for it. */
type NamedSandbox = { sandbox: Sandbox; uses: number }

/** Names shown to a caller who asked for another. */
const MOST_SHOWN = 20
const NONE_ALLOWED = 'limits.sandboxes is 0, so there can be no sandbox; raise it, or call the base address without /sandbox/NAME.'

export class Sandboxes {
  /** The sandbox at the base address. */
  readonly main: Sandbox
  /** Where large documents are read. */
  readonly room: ReadingRoom
  readonly #dependencies: SandboxDependencies
  /** The least recently used first. */
  readonly #named = new Map<string, NamedSandbox>()
  readonly #most: number
  readonly #evictsIdle: boolean
  /** The folder of the snapshots, with a folder in it for each named sandbox; null keeps them in memory. */
  readonly #folder: string | null
  #start: FirstState | undefined

  constructor(dependencies: SandboxDependencies) {
    const { values } = settingsInForce(dependencies.launch)
    this.#most = values['limits.sandboxes']
    this.#evictsIdle = values['sandboxes.evict_idle']
    this.#folder = values.snapshots_dir
    const room = new ReadingRoom({ folders: dependencies.library.own, launch: dependencies.launch })
    this.room = room
    this.main = new Sandbox({ ...dependencies, room }, { snapshotsIn: this.#folder })
    this.#dependencies = { ...dependencies, room, run: this.main.run }
  }

  get size(): number {
    return this.#named.size
  }

  /** Every sandbox, the one at the base address first, then by name. */
  all(): Sandbox[] {
    const named = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { sandbox }]) => sandbox)
    return [this.main, ...named]
  }

  /** Loads the scenario that the sandbox at the base address and every new one begin with. Errors: as of `Sandbox.load`; nothing is changed then. */
  async start(...given: Parameters<Sandbox['load']>): ReturnType<Sandbox['load']> {
    const loaded = await this.main.load(...given)
    this.#start = this.main.requireLoaded()
    return loaded
  }

  /** All that a data file keeps. */
  get saved(): SavedSandboxes {
    return { start: this.#start as FirstState, sandboxes: this.all().map(({ saved }) => saved) }
  }

  /** Goes on where the sandboxes of a data file stopped. */
  resume({ start, sandboxes }: SavedSandboxes): void {
    this.#start = start
    for (const saved of sandboxes) {
      const sandbox = saved.name === null ? this.main : this.#new(saved.name)
      sandbox.resume(saved)
      if (saved.name !== null) this.#named.set(saved.name, { sandbox, uses: 1 })
    }
  }

  /** A named sandbox, made from the start scenario when there is none. Errors: `not_ready`, `sandbox_limit`. */
  use(name: string): Sandbox {
    const named = this.#named.get(name) ?? { sandbox: this.#make(name), uses: 0 }
    named.uses++
    this.#named.delete(name)
    this.#named.set(name, named)
    return named.sandbox
  }

  /** A named sandbox. Errors: `sandbox_unknown` with those that exist. */
  find(name: string): Sandbox {
    const named = this.#named.get(name)
    if (named === undefined) throw this.#unknown(name)
    return named.sandbox
  }

  /** Ends a named sandbox: its records, journal and snapshots are gone, and answers that hang in it are cut. Errors: as of `find`. */
  async delete(name: string): Promise<void> {
    const sandbox = this.find(name)
    this.#end(name)
    await sandbox.snapshots.clear()
  }

  /** Ends a named sandbox that one call made and did not use after all, unless another call has used it since. */
  releaseIfUnused(sandbox: Sandbox): void {
    const named = sandbox.name === null ? undefined : this.#named.get(sandbox.name)
    if (named?.sandbox === sandbox && --named.uses === 0) this.#end(sandbox.name as string)
  }

  #make(name: string): Sandbox {
    this.main.requireLoaded()
    if (this.#named.size >= this.#most) this.#makeRoom()
    const sandbox = this.#new(name)
    sandbox.begin(this.#start as FirstState)
    return sandbox
  }

  #new(name: string): Sandbox {
    return new Sandbox(this.#dependencies, { name, snapshotsIn: this.#folder && join(this.#folder, 'sandboxes', name) })
  }

  #makeRoom(): void {
    const idle = this.#evictsIdle ? [...this.#named].find(([, { sandbox }]) => sandbox.inFlight === 0) : undefined
    if (!idle) throw new ApiError('sandbox_limit', { message: this.#most === 0 ? NONE_ALLOWED : this.#full() })
    this.#end(idle[0])
  }

  #full(): string {
    const { size } = this.#named
    const advice = this.#evictsIdle
      ? ', and none is idle: try again when a call is answered, or raise limits.sandboxes'
      : '; delete one by DELETE /_control/sandboxes/NAME, raise limits.sandboxes, or let the least recently used idle one go with sandboxes.evict_idle'
    return `There ${size === 1 ? 'is 1 sandbox' : `are ${size} sandboxes`}, as many as limits.sandboxes allows${advice}.`
  }

  #end(name: string): void {
    const { sandbox } = this.#named.get(name) as NamedSandbox
    this.#named.delete(name)
    sandbox.end()
  }

  #unknown(name: string): ApiError {
    const names = [...this.#named.keys()].sort()
    const some = names.length > MOST_SHOWN ? `${names.slice(0, MOST_SHOWN).join(', ')} and ${names.length - MOST_SHOWN} more` : names.join(', ')
    const there = names.length === 0 ? '; there are none' : didYouMean(name, names) || `; there are ${some}`
    return new ApiError('sandbox_unknown', {
      message: `There is no sandbox ${sentence(`${name}${there}`)} A call of its API makes it, as do POST …/_control/load and …/_control/records.`,
      param: 'name'
    })
  }
}
