/** The control API, typed, and the sandbox that the console shows. */
import { signal } from '@preact/signals'
import type { Answers, JournalCall, Problem, Verdict } from '../../../client/documents.js'
import { jsonIn } from '../../../core/typed-value.js'

export type * from '../../../client/documents.js'
export type ScenarioVerdict = NonNullable<Verdict['expectations']>[number]
export type Scope = 'sandbox' | 'run'

/** A request, or null when the journal was cleared. The base sandbox has the name ''. */
export type JournalEvent = { sandbox: string; call: JournalCall | null }
export type TrialCall = {
  method: string
  path: string
  body?: string | null
  key?: string | null
}

export type RequestParts = {
  name?: string
  query?: Readonly<Record<string, string>>
  body?: object
  yaml?: string
  sandbox?: string
}

export const pageSandbox: string = document.body.dataset.sandbox ?? ''
/** The chosen sandbox. */
export const sandbox = signal(pageSandbox)

const baseOf = (name: string) => (name === '' ? '' : `/sandbox/${encodeURIComponent(name)}`)
export const controlOf = (name = sandbox.value): string => `${baseOf(name)}/_control`
export const apiOf = (name = sandbox.value): string => `${baseOf(name)}/next`

export class ControlError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly problems: readonly Problem[] = []
  ) {
    super(message)
  }
}

/** The text of the response. Errors: `ControlError`. */
export async function controlText(
  on: keyof Answers,
  { name = '', query, body, yaml, sandbox }: RequestParts = {}
): Promise<string> {
  const [method, path = ''] = on.replace(/NAME|ID/, () => encodeURIComponent(name)).split(' ')
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
  const sent = yaml ?? JSON.stringify(body)
  const response = await fetch(`${controlOf(sandbox)}${path === '/' ? '' : path}${search}`, {
    method,
    headers:
      sent === undefined
        ? {}
        : { 'content-type': `application/${yaml === undefined ? 'json' : 'yaml'}` },
    body: sent
  }).catch(() => {
    throw new ControlError('no_answer', 'The emulator is not responding.')
  })
  const text = await response.text()
  if (response.ok) return text
  const refusal = jsonIn(text) as { error?: ControlError } | null
  const { code, message, problems } = refusal?.error ?? {
    code: 'answer_unreadable',
    message: `The emulator responded with status ${response.status}.`
  }
  throw new ControlError(code, message, problems)
}

export async function control<On extends keyof Answers>(
  on: On,
  parts?: RequestParts
): Promise<Answers[On]> {
  return JSON.parse((await controlText(on, parts)) || 'null')
}
