/** The jobs of a worker's thread: it reads large documents, and writes what takes long to write. */
import type { MessagePort } from 'node:worker_threads'
import type { Reading } from './scenario/reading.js'
import { readLarge } from './scenario/shape/thread-reading.js'
import { serveQuestions, type Text } from './work/worker.js'

/** Answers the questions of a worker. */
export function answerJobs(port: MessagePort): void {
  serveQuestions(port, async (question: Reading | Text) =>
    'write' in question ? written(question) : readLarge(question)
  )
}

async function written({ write, json }: Text): Promise<string> {
  const value = JSON.parse(json)
  if (write === 'scenario') {
    const { scenarioText } = await import('./scenario/yaml.js')
    return scenarioText(value.data, value.notes)
  }
  const [{ RUN_FORMATS }, { DEFAULT_GATES, judged }] = await Promise.all([
    import('./reports/formats.js'),
    import('./reports/run.js')
  ])
  return RUN_FORMATS[write](judged(value, DEFAULT_GATES))
}
