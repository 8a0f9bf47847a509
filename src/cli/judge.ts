/** `commerce-emulator judge --url URL`: applies the gates of `exec` to a running emulator, and writes the same reports. */
import { mkdir } from 'node:fs/promises'
import { concluded, type ReportOptions } from './run-reports.js'
import { runOf } from './running.js'

export type JudgeOptions = ReportOptions & { url: string; token: string | null }

/** Judges the run so far and returns the exit status: 0, or 2 when a gate failed. Errors: as of `runOf`, and of a folder or file that cannot be written. */
export async function judge({ url, token, ...options }: JudgeOptions, stderr: NodeJS.WritableStream): Promise<number> {
  const run = await runOf(url, token)
  if (options.report !== null) await mkdir(options.report, { recursive: true })
  return concluded(run, null, options, stderr)
}
