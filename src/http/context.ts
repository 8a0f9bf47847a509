/** What every API call carries: its world, the record of how it is judged, the caller and what the caller may see. */
import type {} from 'fastify'
import type { ApiError } from '../core/errors.js'
import type { FormObject } from '../core/form.js'
import type { Trace } from '../core/trace.js'
import type { Account } from '../reference/accounts.js'
import type { OperationId } from '../reference/operations.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Visible } from '../sandbox/visibility.js'
import type { Action, Fault } from '../scenario/script.js'
import type { Play } from '../scenario/steps.js'

declare module 'fastify' {
  interface FastifyRequest {
    sandbox: Sandbox
    /** The path that the sandbox's API lies under, as it appears in answers: `/next`. */
    base: string
    /** What it asks for; null where the reference has no such operation. */
    operation: OperationId | null
    trace: Trace
    /** The Account of the key; null where none is asked for. */
    actor: Account | null
    /** What the caller may see, once its key was found right. */
    seen: Visible
    /** The parameters as they were sent, for scripts to match; kept no longer than the call. */
    sent: { query: FormObject; body: FormObject } | null
    /** A step of a scenario: answered like any call, but neither scripted nor counted. */
    isStep: boolean
    /** What the script does to this call. */
    scripted: Action | null
    /** How the script lost the answer. */
    lost: Fault | null
    /** The world's clock when the call came, in milliseconds. */
    at: number
    /** Why it was refused. */
    refusal: ApiError | null
    /** The record that it answers with. */
    subject: { id?: string; transaction?: string } | null
    /** The body of its answer. */
    answer: string
    isRecorded: boolean
    /** A control call that has no use for the sandbox that it made, or changed nothing: a dry run. */
    leavesNothing: boolean
  }
  interface FastifyInstance {
    /** Makes calls in a world from inside the process, for the steps of a scenario. */
    playIn: (sandbox: Sandbox) => Play
  }
  interface FastifyContextConfig {
    operation?: OperationId
    /** A control call that makes the sandbox that it names, when there is none. */
    makesSandbox?: true
  }
}
