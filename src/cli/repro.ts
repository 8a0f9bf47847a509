/** `commerce-emulator repro ID`: a scenario in which a call of a running emulator is answered as it was. */
import { CONTROL } from '../core/paths.js'
import { asked } from './running.js'

/** The name of a call in a report: `SANDBOX#PERIOD/req_1`; the sandbox at the base address has no name. */
const IN_RUN = /^([\w.-]*)#\d+\//

/** The scenario as YAML, by the id of a call or its name in a report. Errors: `setting_invalid` with why there is none. */
export async function repro(id: string, { url, token }: { url: string; token: string | null }): Promise<string> {
  const [, sandbox = ''] = IN_RUN.exec(id) ?? []
  const prefix = sandbox === '' ? '' : `/sandbox/${sandbox}`
  const { status, text, unread } = await asked(id, url, `${prefix}${CONTROL}/requests/${encodeURIComponent(id)}?format=scenario`, token)
  if (status === 200) return text
  throw unread()
}
