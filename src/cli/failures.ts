/** Error messages for the person at the terminal. */
import { EmulatorError } from '../client/error.js'
import { ApiError, type Problem } from '../core/errors.js'
import { withoutSecrets } from '../core/redaction.js'
import { visible } from '../core/sentences.js'
import { problemLine } from '../scenario/documents.js'
import { STATUS } from './command.js'
import { reasonOf, SAYS, type SystemError } from './sentences.js'

export class Failure extends Error {}

const isRefusal = (error: Error) => error instanceof ApiError || error instanceof EmulatorError

export const statusOf = (error: Error): number =>
  isRefusal(error) && /^(setting|option)_invalid$/.test(error.code) ? STATUS.misused : STATUS.failed

function unusable(error: SystemError): string | undefined {
  const { path, syscall } = error
  if (path === undefined) return undefined
  return syscall === 'mkdir'
    ? SAYS.unmade(path, reasonOf('make', error))
    : SAYS.unread(path, reasonOf('read', error))
}

/** Errors: rethrows a defect. */
export function problemsOf(error: Error): readonly Problem[] {
  if (error instanceof ApiError) return error.problems as readonly Problem[]
  const message = unusable(error)
  if (message === undefined) throw error
  return [{ path: '', code: 'unread', message }]
}

export function failureLines(error: SystemError): string[] {
  const [first, ...more] = linesOf(error).map(line => visible(withoutSecrets(line)))
  return [`commerce-emulator: ${first}`, ...more]
}

function linesOf(error: SystemError): string[] {
  if (isRefusal(error)) {
    const lines = (error.problems ?? []).map(problemLine)
    return lines.length > 1
      ? [SAYS.problems(lines.length), ...lines.map(line => `  ${line}`)]
      : [lines[0] ?? error.message]
  }
  const { code, syscall, port = 0, address = '', message, stack } = error
  if (error instanceof Failure) return [message]
  if (code === 'EADDRINUSE') return [SAYS.port_in_use(port, address)]
  if (code === 'EACCES' && syscall === 'listen') return [SAYS.port_denied(port)]
  return syscall === 'listen' || syscall === 'getaddrinfo'
    ? [SAYS.address_unusable(message)]
    : (unusable(error) ?? String(stack)).split('\n')
}
