/** `commerce-emulator record --out FILE -- COMMAND…`: `exec`, and its requests as scenarios. */
import { randomBytes } from 'node:crypto'
import { rm, stat, writeFile } from 'node:fs/promises'
import { parse } from 'node:path'
import { ApiError } from '../core/errors.js'
import { visible } from '../core/visible.js'
import type { RunningEmulator } from '../emulator.js'
import { keysToMask } from '../engine/keys.js'
import { type Recording, recordingOf, scenarioOf } from '../replay/recorded-scenario.js'
import { replaceFile } from '../sandbox/disk.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { scenarioText } from '../scenario/yaml.js'
import { Failure } from './failures.js'
import { reasonOf, SAYS, type SystemError } from './sentences.js'

const MAX_FILES = 100

export class Recorder {
  readonly #file: string
  readonly #recordings: Promise<Recording>[] = []
  #omitted = 0

  private constructor(file: string) {
    this.#file = file
  }

  /** Errors: a `Failure` where no such file can be written. */
  static async to(file: string): Promise<Recorder> {
    await checkWritable(file)
    return new Recorder(file)
  }

  /** Called before a sandbox forgets its requests. */
  readonly note = (sandbox: Sandbox): void => {
    if (this.#recordings.length < MAX_FILES)
      this.#recordings.push(recordingOf(sandbox, keysToMask(sandbox)))
    else this.#omitted++
  }

  /**
   * One for each load or reset, the further ones with -2, -3… Returns whether there were requests,
   * and all were written.
   */
  async write(
    { sandboxes }: Pick<RunningEmulator, 'sandboxes'>,
    stderr: NodeJS.WritableStream
  ): Promise<boolean> {
    for (const sandbox of sandboxes.all()) this.note(sandbox)
    const recordings = (await Promise.all(this.#recordings)).filter(({ calls }) => calls.length > 0)
    const say = (text: string) => stderr.write(`commerce-emulator: ${visible(text)}\n`)
    if (this.#omitted > 0) say(SAYS.too_many_files(MAX_FILES, this.#omitted))
    if (recordings.length === 0) say(SAYS.not_written(this.#file, SAYS.nothing_recorded()))
    let isWritten = recordings.length > 0
    for (const [index, recording] of recordings.entries()) {
      const file = index === 0 ? this.#file : numbered(this.#file, index + 1)
      try {
        const { data, notes } = await scenarioOf(recording)
        await (await replaceFile(file, [scenarioText(data, notes)])).close()
        const plays = (data.play as object[]).filter(play => !('wait' in play)).length
        say(SAYS.recorded(file, plays, recording.calls.length - plays))
      } catch (error) {
        isWritten = false
        say(
          SAYS.not_written(
            file,
            error instanceof ApiError ? error.message : reasonOf('write', error as Error)
          )
        )
      }
    }
    return isWritten
  }
}

/** `own.yaml` → `own-2.yaml`. */
function numbered(file: string, number: number): string {
  const { ext } = parse(file)
  return `${file.slice(0, file.length - ext.length)}-${number}${ext}`
}

const unwritable = (file: string, error: SystemError) =>
  new Failure(SAYS.out_unwritten(file, reasonOf('write', error)))

/** Errors: a `Failure` where no such file can be written. */
async function checkWritable(file: string): Promise<void> {
  const isFolder = await stat(file).then(
    found => found.isDirectory(),
    () => false
  )
  if (isFolder) throw unwritable(file, Object.assign(new Error(), { code: 'EISDIR' }))
  const probe = `${file}.${randomBytes(8).toString('hex')}.tmp`
  await writeFile(probe, '', { flag: 'wx' }).catch(error => {
    throw unwritable(file, error)
  })
  await rm(probe)
}
