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

type FrameProps = { id: string; label: string; isLabelHidden: boolean; hint: string | undefined; error: string | null | undefined; children: ComponentChildren }

function Frame({ id, label, isLabelHidden, hint, error, children }: FrameProps) {
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      {children}
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

const described = (id: string, { hint, error }: { hint?: string | undefined; error?: string | null | undefined }) => ({
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined
})

type TextProps = Field<string> & {
  type?: 'text' | 'search' | 'password' | 'number' | 'datetime-local'
  placeholder?: string
  list?: readonly string[]
  shortcut?: string
}

/** A line of text. `list` are values to choose from; `shortcut` is the key that leads to it, for a console that looks for it. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  isLabelHidden = false,
  disabled = false,
  type = 'text',
  placeholder,
  list,
  shortcut
}: TextProps) {
  const id = useId()
  return (
    <Frame {...{ id, label, isLabelHidden, hint, error }}>
      <input
        id={id}
        {...({ type } as object)}
        value={value}
        placeholder={placeholder}
        disabled={disabled}
        list={list && `${id}-list`}
        autocomplete="off"
        spellcheck={false}
        aria-keyshortcuts={shortcut}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        {...described(id, { hint, error })}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map(item => (
            <option key={item} value={item} />
          ))}
        </datalist>
      )}
    </Frame>
  )
}

/** Text of several lines, such as YAML. */
export function AreaField({ label, value, onChange, hint, error, isLabelHidden = false, disabled = false, rows = 8 }: Field<string> & { rows?: number }) {
  const id = useId()
  return (
    <Frame {...{ id, label, isLabelHidden, hint, error }}>
      <textarea
        id={id}
        value={value}
        rows={rows}
        disabled={disabled}
        spellcheck={false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        {...described(id, { hint, error })}
      />
    </Frame>
  )
}

/** A choice from a list of values, each with the text that is shown. */
export function SelectField({
  label,
  value,
  onChange,
  hint,
  error,
  isLabelHidden = false,
  disabled = false,
  options
}: Field<string> & { options: readonly (readonly [value: string, text: string])[] }) {
  const id = useId()
  return (
    <Frame {...{ id, label, isLabelHidden, hint, error }}>
      <select id={id} value={value} disabled={disabled} onChange={({ currentTarget }) => onChange(currentTarget.value)} {...described(id, { hint, error })}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export function CheckField({ label, value, onChange, hint, disabled = false }: Field<boolean>) {
  const id = useId()
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        {...described(id, { hint })}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}
