/** An editor for YAML; lines with a problem are marked and can be gone to. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Draft } from '../app/command.js'
import { type ControlError, control, type Problem } from '../control/client.js'
import type { mount } from './code-mirror.js'
import { Button } from './controls.js'
import { Refusal } from './layout.js'
import type { Schema } from './schema-completion.js'

type Props = {
  label: string
  draft: Draft
  error?: ControlError | null
  hint?: string
  rows?: number
  schema?: 'scenario' | 'fixture' | 'script'
}

const LINE_HEIGHT = 20
const schemas: Record<string, Promise<Schema>> = {}
const schemaNamed = (name: NonNullable<Props['schema']>) =>
  (schemas[name] ??= control(`GET /schema/${name}.json`) as Promise<Schema>)

export function YamlEditor({ label, draft, error, hint, rows = 12, schema }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<ReturnType<typeof mount> | null>(null)
  const shown = error === undefined ? draft.refused.value : error
  const latest = useRef(shown)
  latest.current = shown
  const mark = () => editor.current?.mark(latest.current?.problems ?? [])
  useEffect(() => {
    let isOver = false
    void import('./code-mirror.js').then(({ mount }) => {
      if (isOver || host.current === null) return
      editor.current = mount(host.current, {
        label,
        text: draft.text.peek(),
        onChange: draft.write,
        schema: () => (schema === undefined ? null : schemaNamed(schema))
      })
      mark()
    })
    return () => {
      isOver = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [draft])
  // at once, not with the next drawing: what was typed meanwhile would be lost
  useSignalEffect(() => {
    const text = draft.text.value
    editor.current?.set(text)
  })
  useEffect(mark, [shown])
  const placeOf = ({ line, file = 'body' }: Problem) => {
    if (file !== 'body') return <b>{`${file}:${line ?? 1} `}</b>
    return (
      line !== undefined && (
        <Button class="small" text={`Line ${line}`} run={() => editor.current?.goTo(line)} />
      )
    )
  }
  return (
    <div class="field">
      <p class="label">{label}</p>
      {hint && <p class="hint">{hint}</p>}
      <div class="editor" ref={host} style={{ height: `${rows * LINE_HEIGHT + 12}px` }} />
      <Refusal error={shown} place={placeOf} />
    </div>
  )
}
