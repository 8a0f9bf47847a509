/** A field whose text goes into a control call. */
import { useSignal } from '@preact/signals'
import { attempt } from '../../app/command.js'

/** What was typed, and what is wrong with it until more is typed. `field` goes into a field, `send` makes the call and returns whether it was taken. */
export function useTyped(initial = '') {
  const text = useSignal(initial)
  const problem = useSignal<string | null>(null)
  const write = (typed: string) => {
    text.value = typed
    problem.value = null
  }
  const send = async <T>(run: () => Promise<T>, done: string | ((answer: T) => string)): Promise<boolean> => {
    const refused = await attempt(run, done)
    problem.value = refused && (refused.problems[0]?.message ?? refused.message)
    return refused === null
  }
  return {
    text,
    problem,
    write,
    send,
    get field() {
      return { value: text.value, error: problem.value, onChange: write }
    }
  }
}
