/** An editor for YAML that marks lines with a problem. */
import { useSignalEffect } from '@preact/signals'
import type { RefObject } from 'preact'
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

function useEditor(
  host: RefObject<HTMLElement | null>,
  { label, draft, schema }: Props,
  mark: () => void
) {
  const editor = useRef<ReturnType<typeof mount> | null>(null)
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
  // the next drawing would lose what was typed meanwhile
  useSignalEffect(() => {
    const text = draft.text.value
    editor.current?.set(text)
  })
  return editor
}

export function YamlEditor(props: Props) {
  const { label, draft, error, hint, rows = 12 } = props
  const host = useRef<HTMLDivElement>(null)
  const refusal = error === undefined ? draft.refused.value : error
  const latest = useRef(refusal)
  latest.current = refusal
  const mark = () => editor.current?.mark(latest.current?.problems ?? [])
  const editor = useEditor(host, props, mark)
  useEffect(mark, [refusal])
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
      <Refusal error={refusal} place={placeOf} />
    </div>
  )
}
