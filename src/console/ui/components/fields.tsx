/** Fields of forms: each with its label, a hint, and what is wrong with its value. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type Field<Value> = {
  label: string
  value: Value
  onChange: (value: Value) => void
  hint?: string | undefined
  error?: string | null | undefined
  /** Whether the label is for screen readers alone. */
  isLabelHidden?: boolean
  disabled?: boolean
}

/** What a control has of its frame: its id, and what describes it. */
type Given = { id: string; disabled: boolean; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }
type FrameProps = Omit<Field<string>, 'value' | 'onChange'> & { children: (given: Given) => ComponentChildren }

/** The label above a control, and the hint and the problem below it. */
function Frame({ label, isLabelHidden = false, hint, error, disabled = false, children }: FrameProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      {children({ id, disabled, ...described(id, { hint, error }) })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} class="problem">
          {error}
        </p>
      )}
    </div>
  )
}

const described = (id: string, { hint, error }: Pick<Field<unknown>, 'hint' | 'error'>): Pick<Given, 'aria-describedby' | 'aria-invalid'> => ({
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined
})

type TextProps = Field<string> & {
  type?: 'text' | 'search' | 'password'
  placeholder?: string
  list?: readonly string[]
  shortcut?: string
}

/** A line of text. `list` are values to choose from; `shortcut` is the key that leads to it, for a console that looks for it. */
export function TextField({ value, onChange, type = 'text', placeholder, list, shortcut, ...frame }: TextProps) {
  return (
    <Frame {...frame}>
      {given => (
        <>
          <input
            {...given}
            {...({ type } as object)}
            value={value}
            placeholder={placeholder}
            list={list && `${given.id}-list`}
            autocomplete="off"
            spellcheck={false}
            aria-keyshortcuts={shortcut}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
          {list && (
            <datalist id={`${given.id}-list`}>
              {list.map(item => (
                <option key={item} value={item} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Frame>
  )
}

/** Text of several lines. */
export function AreaField({ value, onChange, rows, ...frame }: Field<string> & { rows: number }) {
  return (
    <Frame {...frame}>
      {given => <textarea {...given} value={value} rows={rows} spellcheck={false} onInput={({ currentTarget }) => onChange(currentTarget.value)} />}
    </Frame>
  )
}

/** A choice from a list of values, each with the text that is shown. */
export function SelectField({ value, onChange, options, ...frame }: Field<string> & { options: readonly (readonly [value: string, text: string])[] }) {
  return (
    <Frame {...frame}>
      {given => (
        <select {...given} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Frame>
  )
}

/** What is either so or not. */
export function CheckField({ label, value, onChange }: Pick<Field<boolean>, 'label' | 'value' | 'onChange'>) {
  const id = useId()
  return (
    <div class="field check">
      <input id={id} type="checkbox" checked={value} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <label for={id}>{label}</label>
    </div>
  )
}
