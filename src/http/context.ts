/** What every API call carries: its world, the record of how it is judged, the caller and what the caller may see. */
import type {} from 'fastify'
import type { Trace } from '../core/trace.js'
import type { Account } from '../reference/accounts.js'
import type { OperationId } from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Visible } from '../sandbox/visibility.js'

declare module 'fastify' {
  interface FastifyRequest {
    sandbox: Sandbox
    /** The path that the sandbox's API lies under, as it appears in answers: `/next`. */
    base: string
    trace: Trace
    /** The Account of the key; null where none is asked for. */
    actor: Account | null
    seen: Visible
  }
  interface FastifyContextConfig {
    operation?: OperationId
  }
}
