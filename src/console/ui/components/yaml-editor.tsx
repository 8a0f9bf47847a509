/** A field for YAML with the numbers of its lines, in which lines with a problem are marked and can be gone to. */
import { useId, useRef } from 'preact/hooks'
import type { ControlError } from '../control/client.js'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  /** Why the text was refused; its problems name lines of the text as it is. */
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
  const problems = error?.problems ?? []
  const marked = new Set(problems.map(({ line }) => line))
  const lines = value.split('\n')
  const goTo = (line: number) => {
    const element = field.current
    if (element === null) return
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
    element.focus()
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
    element.scrollTop = Math.max(0, (line - 3) * LINE_HEIGHT)
  }
  return (
    <div class="field yaml-editor">
      <label for={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
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
          aria-invalid={error === null ? undefined : true}
          aria-describedby={[hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          onScroll={({ currentTarget }) => {
            if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop
          }}
        />
      </div>
      <div id={`${id}-error`} role="alert">
        {error !== null && (
          <>
            <p class="problem">{error.message}</p>
            <ul class="problems">
              {problems.map(({ line, path, message, file }, place) => (
                <li key={place}>
                  {line !== undefined && (file === undefined || file === 'body') && (
                    <button type="button" class="small" onClick={() => goTo(line)}>
                      Line {line}
                    </button>
                  )}
                  {file !== undefined && file !== 'body' && <b>{`${file}:${line ?? 1}`}</b>} {path && <code>{path}</code>} {message}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  )
}
