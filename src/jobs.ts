/** What a worker's thread does: it reads large documents, and writes long ones. */
import type { MessagePort } from 'node:worker_threads'
import { type Reading, readLarge } from './scenario/reading.js'
import { serveQuestions, type Text } from './work/worker.js'

export function runJobs(port: MessagePort): void {
  serveQuestions(port, async (question: Reading | Text) =>
    'write' in question ? textOf(question) : readLarge(question)
  )
}

async function textOf({ write, json }: Text): Promise<string> {
  const value = JSON.parse(json)
  if (write === 'scenario') {
    const { scenarioText } = await import('./scenario/yaml.js')
    return scenarioText(value.data, value.notes)
  }
  const [{ RUN_FORMATS }, { DEFAULT_CRITERIA, judged }] = await Promise.all([
    import('./reports/formats.js'),
    import('./reports/run.js')
  ])
  return RUN_FORMATS[write](judged(value, DEFAULT_CRITERIA))
}
