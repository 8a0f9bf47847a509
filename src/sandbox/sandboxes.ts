/** The isolated worlds of one process: the one at the base address, and those that are made by name on first use. */
import { join } from 'node:path'
import { ApiError } from '../core/errors.js'
import { didYouMean, sentence } from '../core/nearest.js'
import { settingsInForce } from '../core/settings.js'
import type { FirstState } from '../scenario/scenario.js'
import { type KeptWorld, Sandbox, type Surroundings } from './sandbox.js'

/** The worlds of a process, and the first state that new ones begin with. */
export type KeptWorlds = { start: FirstState; worlds: readonly KeptWorld[] }
/** A named world, with how many calls have asked for it. */
type Place = { sandbox: Sandbox; uses: number }

/** Names shown to a caller who asked for another. */
const MOST_SHOWN = 20
const NONE_ALLOWED = 'limits.sandboxes is 0, so there can be no sandbox; raise it, or call the base address without /sandbox/NAME.'

export class Sandboxes {
  /** The world at the base address. */
  readonly main: Sandbox
  readonly #surroundings: Surroundings
  /** The least recently used first. */
  readonly #named = new Map<string, Place>()
  readonly #most: number
  readonly #evictsIdle: boolean
  /** The folder of the snapshots, a folder in it for each named world; null keeps them in memory. */
  readonly #folder: string | null
  #start: FirstState | undefined

  constructor(surroundings: Surroundings) {
    const { values } = settingsInForce(surroundings.launch)
    this.#most = values['limits.sandboxes']
    this.#evictsIdle = values['sandboxes.evict_idle']
    this.#folder = values.snapshots_dir
    this.main = new Sandbox(surroundings, { snapshotsIn: this.#folder })
    this.#surroundings = { ...surroundings, run: this.main.run }
  }

  get size(): number {
    return this.#named.size
  }

  /** Every world, the one at the base address first, then by name. */
  all(): Sandbox[] {
    const named = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { sandbox }]) => sandbox)
    return [this.main, ...named]
  }

  /** Loads the scenario that the world at the base address and every new one begin with. Errors: as of `Sandbox.load`; nothing is changed then. */
  async start(...given: Parameters<Sandbox['load']>): ReturnType<Sandbox['load']> {
    const loaded = await this.main.load(...given)
    this.#start = this.main.requireLoaded()
    return loaded
  }

  /** All that a data file keeps. */
  kept(): KeptWorlds {
    return { start: this.#start as FirstState, worlds: this.all().map(sandbox => sandbox.kept()) }
  }

  /** Goes on where the worlds of a data file stopped. */
  resume({ start, worlds }: KeptWorlds): void {
    this.#start = start
    for (const world of worlds) {
      const sandbox = world.name === null ? this.main : this.#new(world.name)
      sandbox.resume(world)
      if (world.name !== null) this.#named.set(world.name, { sandbox, uses: 1 })
    }
  }

  /** A named world, made of the start scenario when there is none. Errors: `not_ready`, `sandbox_limit`. */
  use(name: string): Sandbox {
    const place = this.#named.get(name) ?? { sandbox: this.#make(name), uses: 0 }
    place.uses++
    this.#named.delete(name)
    this.#named.set(name, place)
    return place.sandbox
  }

  /** A named world. Errors: `sandbox_unknown` with those that there are. */
  find(name: string): Sandbox {
    const place = this.#named.get(name)
    if (place === undefined) throw this.#unknown(name)
    return place.sandbox
  }

  /** Ends a named world: its records, journal and snapshots are gone, and what still hangs in it is cut. Errors: as of `find`. */
  async delete(name: string): Promise<void> {
    const sandbox = this.find(name)
    this.#end(name)
    await sandbox.snapshots.clear()
  }

  /** Takes back a world that a call made and then had no use for; it stays where another call has used it since. */
  takeBack(sandbox: Sandbox): void {
    const place = sandbox.name === null ? undefined : this.#named.get(sandbox.name)
    if (place?.sandbox === sandbox && --place.uses === 0) this.#end(sandbox.name as string)
  }

  #make(name: string): Sandbox {
    this.main.requireLoaded()
    if (this.#named.size >= this.#most) this.#makeRoom()
    const sandbox = this.#new(name)
    sandbox.begin(this.#start as FirstState)
    return sandbox
  }

  #new(name: string): Sandbox {
    return new Sandbox(this.#surroundings, { name, snapshotsIn: this.#folder && join(this.#folder, 'sandboxes', name) })
  }

  #makeRoom(): void {
    const idle = this.#evictsIdle ? [...this.#named].find(([, { sandbox }]) => sandbox.inFlight === 0) : undefined
    if (idle) return this.#end(idle[0])
    throw new ApiError('sandbox_limit', { message: this.#most === 0 ? NONE_ALLOWED : this.#full() })
  }

  #full(): string {
    const { size } = this.#named
    const advice = this.#evictsIdle
      ? ', and none is idle: try again when a call is answered, or raise limits.sandboxes'
      : '; delete one by DELETE /_control/sandboxes/NAME, raise limits.sandboxes, or let the least recently used idle one go with sandboxes.evict_idle'
    return `There ${size === 1 ? 'is 1 sandbox' : `are ${size} sandboxes`}, as many as limits.sandboxes allows${advice}.`
  }

  #end(name: string): void {
    const { sandbox } = this.#named.get(name) as Place
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
