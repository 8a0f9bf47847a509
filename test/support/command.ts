/** Command lines that run in the test's process, and servers that they call. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import type { Test } from 'tap'
import { run, type Streams } from '../../src/cli/program.js'

export type Ran = { status: number; stdout: string; stderr: string }

const LIMIT = 120_000

/** Ends the test file: a remaining server would keep its process until the runner kills it. */
function stop(args: string[]): never {
  process.stderr.write(`commerce-emulator ${args.join(' ')} did not end\n`)
  process.exit(1)
}

export async function ran(
  args: string[],
  environment: Record<string, string> = {},
  isTTY = false
): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })]
  const guard = setTimeout(stop, LIMIT, args)
  const status = await run(args, environment, { stdout, stderr } as unknown as Streams)
  clearTimeout(guard)
  if (status === null) stop(args)
  const textOf = (stream: PassThrough) => String(stream.read() ?? '')
  return { status, stdout: textOf(stdout), stderr: textOf(stderr) }
}

export async function serving(
  t: Test,
  answer: RequestListener,
  host = '127.0.0.1'
): Promise<string> {
  const server = createServer(answer).listen(0, host)
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
