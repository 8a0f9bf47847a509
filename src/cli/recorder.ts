/** The requests of `exec` as scenarios: files of `record --out FILE`, and part of a report. */
import { randomBytes } from 'node:crypto'
import { rm, stat, writeFile } from 'node:fs/promises'
import { parse } from 'node:path'
import { ApiError } from '../core/errors.js'
import type { RunningEmulator } from '../emulator.js'
import { type RunRecording, scenarioOf } from '../replay/recorded-scenario.js'
import { type Recording, recordingOf } from '../replay/recording.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { replaceFile } from '../sandbox/saved/disk.js'
import type { Json } from '../scenario/steps.js'
import { scenarioText } from '../scenario/yaml.js'
import { Failure } from './failures.js'
import { printLine } from './printing.js'
import { reasonOf, SAYS } from './sentences.js'

const MAX_RECORDINGS = 100

export class Recorder {
  readonly #recordings: Promise<Recording>[] = []
  #omitted = 0

  readonly note = (sandbox: Sandbox): void => {
    if (this.#recordings.length < MAX_RECORDINGS) this.#recordings.push(recordingOf(sandbox))
    else this.#omitted++
  }

  /** Files of further loads and resets end in -2, -3… `isWritten`: every file was written. */
  async end(
    { sandboxes }: Pick<RunningEmulator, 'sandboxes'>,
    out: string | undefined,
    stderr: NodeJS.WritableStream
  ): Promise<{ recordings: RunRecording[]; isWritten: boolean }> {
    for (const sandbox of sandboxes.all()) if (sandbox.isJudged) this.note(sandbox)
    const recorded = (await Promise.all(this.#recordings)).filter(({ calls }) => calls.length > 0)
    const say = (text: string) => printLine(stderr, text)
    if (this.#omitted > 0) say(SAYS.too_many_recordings(MAX_RECORDINGS, this.#omitted))
    if (recorded.length === 0 && out !== undefined)
      say(SAYS.not_written(out, SAYS.nothing_recorded()))
    let isWritten = recorded.length > 0
    const recordings: RunRecording[] = []
    for (const [index, recording] of recorded.entries()) {
      const file = out === undefined || index === 0 ? out : numbered(out, index + 1)
      const { of, calls } = recording
      try {
        const { data, notes, requests } = await scenarioOf(recording)
        recordings.push({ of, requests, scenario: data as Json })
        if (file === undefined) continue
        await replaceFile(file, scenarioText(data, notes))
        say(SAYS.recorded(file, requests.length, calls.length - requests.length))
      } catch (error) {
        isWritten = false
        const why = error instanceof ApiError ? error.message : reasonOf('write', error as Error)
        say(SAYS.not_written(file ?? SAYS.recording_of(of), why))
      }
    }
    return { recordings, isWritten }
  }
}

function numbered(file: string, number: number): string {
  const { ext } = parse(file)
  return `${file.slice(0, file.length - ext.length)}-${number}${ext}`
}

const unwritable = (file: string, error: Parameters<typeof reasonOf>[1]) =>
  new Failure(SAYS.out_unwritten(file, reasonOf('write', error)))

export async function checkWritable(file: string): Promise<void> {
  const isFolder = await stat(file).then(
    stats => stats.isDirectory(),
    () => false
  )
  if (isFolder) throw unwritable(file, { code: 'EISDIR', message: '' })
  const probe = `${file}.${randomBytes(8).toString('hex')}.tmp`
  await writeFile(probe, '', { flag: 'wx' }).catch(error => {
    throw unwritable(file, error)
  })
  await rm(probe)
}
