/** The thread's side of the worker. */
import type { MessagePort } from 'node:worker_threads'
import { ApiError, type ErrorCode, type Problem } from '../core/errors.js'

export type Refusal = { code: ErrorCode; message: string; problems: readonly Problem[] | undefined }
/**
 * What the thread replies to a question: its answer, a refusal for the client, or a defect of its
 * own.
 */
export type Reply = { answer: unknown } | { refusal: Refusal } | { defect: string }

/** Answers what comes over a port. Bytes are handed over instead of copied. */
export function answerQuestions<Q>(
  port: MessagePort,
  answerTo: (question: Q) => Promise<unknown>
): void {
  port.on('message', async ({ id, question }: { id: number; question: Q }) => {
    const reply = await answerTo(question).then(answer => ({ answer }), refused)
    const bytes =
      'answer' in reply && reply.answer instanceof Uint8Array
        ? [reply.answer.buffer as ArrayBuffer]
        : []
    port.postMessage({ id, reply }, bytes)
  })
}

function refused(error: unknown): Reply {
  if (!(error instanceof ApiError)) return { defect: (error as Error).stack as string }
  const { code, message, problems } = error
  return { refusal: { code, message, problems } }
}
