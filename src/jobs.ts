/**
 * The jobs of the worker's thread: it reads large documents, and writes what takes long to write.
 */
import type { MessagePort } from 'node:worker_threads'
import { type Question, Reader, type ReaderOptions } from './scenario/reader.js'
import { answerQuestions } from './work/thread.js'
import type { Text } from './work/writing.js'

/** Answers the questions of a worker: a text in UTF-8. */
export function answerJobs(port: MessagePort, options: ReaderOptions): void {
  const reader = new Reader(options)
  answerQuestions(port, async (question: Question | Text) =>
    'write' in question
      ? new TextEncoder().encode(await written(question))
      : reader.answer(question)
  )
}

async function written({ write, json }: Text): Promise<string> {
  const value = JSON.parse(json)
  if (write === 'yaml' || write === 'scenario') {
    const { scenarioText, yamlText } = await import('./scenario/yaml.js')
    return write === 'yaml' ? yamlText(value) : scenarioText(value.data, value.notes)
  }
  const [{ RUN_FORMATS }, { DEFAULT_GATES, judged }] = await Promise.all([
    import('./reports/formats.js'),
    import('./reports/run.js')
  ])
  return RUN_FORMATS[write](judged(value, DEFAULT_GATES))
}
