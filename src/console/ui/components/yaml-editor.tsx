/** A field for YAML with line numbers; lines with a problem are marked and can be gone to. */
import { useId, useRef } from 'preact/hooks'
import type { ControlError, Problem } from '../control/client.js'
import { Button } from './button.js'
import { described, Note } from './fields.js'
import { Refusal } from './states.js'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  /** Its problems name lines of the text as it is. */
  error: ControlError | null
  hint?: string
  rows?: number
}

/** The height of a line, in pixels; as in components.css. */
const LINE_HEIGHT = 20

export function YamlEditor({ label, value, onChange, error, hint, rows = 12 }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const marked = new Set(error?.problems.map(({ line }) => line))
  const lines = value.split('\n')
  const goTo = (line: number) => {
    const element = field.current
    if (element === null) return
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
    element.focus()
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
    element.scrollTop = Math.max(0, (line - 3) * LINE_HEIGHT)
  }
  const placeOf = ({ line, file = 'body' }: Problem) => {
    if (file !== 'body') return [<b key={file}>{`${file}:${line ?? 1}`}</b>, ' ']
    return [line !== undefined && <Button class="small" text={`Line ${line}`} run={() => goTo(line)} />, ' ']
  }
  return (
    <div class="field yaml-editor">
      <label for={id}>{label}</label>
      <Note id={`${id}-hint`} kind="hint" text={hint} />
      <div class="editor" style={{ height: `${rows * LINE_HEIGHT + 12}px` }}>
        <div class="numbers" aria-hidden="true" ref={numbers}>
          {lines.map((_, place) => (
            <div key={place} class={marked.has(place + 1) ? 'marked' : ''}>
              {place + 1}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          ref={field}
          value={value}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          {...described(id, hint, error)}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          onScroll={({ currentTarget }) => numbers.current?.scrollTo(0, currentTarget.scrollTop)}
        />
      </div>
      <Refusal id={`${id}-error`} error={error} place={placeOf} />
    </div>
  )
}
