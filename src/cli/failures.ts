/** Error messages for the person at the terminal. */
import { ApiError, type Problem } from '../core/errors.js'
import { withoutSecrets } from '../core/redaction.js'
import { visible, visibleLines } from '../core/visible.js'
import { problemLine } from '../scenario/documents.js'

type SystemError = Error & { code?: string; syscall?: string; port?: number; address?: string; path?: string }

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'it is a file, not a folder',
  EACCES: 'this user may not read it'
}
export const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is a file, not a folder',
  EACCES: 'this user may not write there',
  EROFS: 'the file system is read-only'
}
const UNMADE: Readonly<Record<string, string>> = { ...UNWRITABLE, EEXIST: 'it is a file, not a folder' }

/** Undefined for an error that is not of a file or folder. */
export function unusable({ path, code, message, syscall }: SystemError): string | undefined {
  if (path === undefined) return undefined
  if (syscall === 'mkdir') return `${path} cannot be made: ${UNMADE[code as string] ?? message}`
  return `${path} cannot be read: ${UNREADABLE[code as string] ?? message}`
}

/** Errors: rethrows a defect. */
export function problemsOf(error: Error): readonly Problem[] {
  if (error instanceof ApiError) return error.problems as readonly Problem[]
  const message = unusable(error)
  if (message === undefined) throw error
  return [{ path: '', message }]
}

/** What, where and what to do; the stack only of a defect. */
export function failureLines(error: SystemError): string[] {
  const show = error instanceof ApiError ? visible : visibleLines
  const [first, ...more] = linesOf(error).map(line => show(withoutSecrets(line)))
  return [`commerce-emulator: ${first}`, ...more]
}

function linesOf(error: SystemError): string[] {
  if (error instanceof ApiError) {
    const lines = (error.problems ?? []).map(problemLine)
    return lines.length > 1 ? [`${lines.length} problems; nothing was started`, ...lines.map(line => `  ${line}`)] : [lines[0] ?? error.message]
  }
  const { code, syscall, port, address, message, stack } = error
  if (code === 'EADDRINUSE')
    return [`port ${port} on ${address} is in use; stop the process that uses it, or choose another port with --port (0 picks a free one).`]
  if (code === 'EACCES' && syscall === 'listen') return [`port ${port} may not be used by this user; choose one above 1023 with --port.`]
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return [
      `the emulator cannot listen on that address: ${message}; choose an address of this machine with --host, such as 127.0.0.1, or 0.0.0.0 for all of them.`
    ]
  }
  return [unusable(error) ?? String(stack)]
}
