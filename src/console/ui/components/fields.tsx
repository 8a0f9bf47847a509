/** Fields of forms, each with its label, a hint and its problem. */
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from './icon.js'

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

/** Binds a field to a signal. */
export const bound = (signal: Signal<string>) => ({ value: signal.value, onChange: (value: string) => (signal.value = value) })

/** The attributes that a control has of its frame. */
type Given = { id: string; disabled: boolean; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }
type FrameProps = Omit<Field<string>, 'value' | 'onChange'> & { children: (given: Given) => ComponentChildren }

function Frame({ label, isLabelHidden = false, hint, error, disabled = false, children }: FrameProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      {children({ id, disabled, ...described(id, hint, error) })}
      <Note id={`${id}-hint`} kind="hint" text={hint} />
      <Note id={`${id}-error`} kind="problem" text={error} />
    </div>
  )
}

export const Note = ({ id, kind, text }: { id: string; kind: 'hint' | 'problem'; text: string | null | undefined }) =>
  text ? (
    <p id={id} class={kind}>
      {text}
    </p>
  ) : null

/** Leads from a control to its hint and its problem. */
export const described = (id: string, hint: unknown, error: unknown): Pick<Given, 'aria-describedby' | 'aria-invalid'> => ({
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined
})

type TextProps = Field<string> & {
  type?: 'text' | 'search' | 'password'
  placeholder?: string
  list?: readonly string[] | undefined
  shortcut?: string
  onKeyDown?: (event: KeyboardEvent) => void
}

/** `list` are suggestions; `shortcut` is the key that leads to the field. */
export const TextField = ({ value, onChange, type = 'text', placeholder, list, shortcut, onKeyDown, ...frame }: TextProps) => (
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
          onKeyDown={onKeyDown}
        />
        {list && <datalist id={`${given.id}-list`}>{optionsOf(list)}</datalist>}
      </>
    )}
  </Frame>
)

/** Has the table of the page take the key. */
function moveInGrid(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  document.querySelector('[role="grid"]')?.dispatchEvent(new KeyboardEvent('keydown', { key: event.key }))
}

/** Narrows a list as you type; `/` leads to it, and from it the arrow keys move the choice. */
export const SearchField = ({ label, ...more }: Pick<TextProps, 'label' | 'value' | 'onChange' | 'placeholder' | 'list'>) => (
  <div class="search">
    <Icon name="search" />
    <TextField label={label} isLabelHidden type="search" shortcut="/" placeholder={label} onKeyDown={moveInGrid} {...more} />
  </div>
)

export const AreaField = ({ value, onChange, rows, ...frame }: Field<string> & { rows: number }) => (
  <Frame {...frame}>
    {given => <textarea {...given} value={value} rows={rows} spellcheck={false} onInput={({ currentTarget }) => onChange(currentTarget.value)} />}
  </Frame>
)

/** Values to choose from, each with its text where that differs. */
export type Options = readonly (string | readonly [value: string, text: string])[]

const optionsOf = (options: Options) =>
  options.map(option => {
    const [value, text] = typeof option === 'string' ? [option, option] : option
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })

export const SelectField = ({ value, onChange, options, ...frame }: Field<string> & { options: Options }) => (
  <Frame {...frame}>
    {given => (
      <select {...given} class={value === '' ? '' : 'set'} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {optionsOf(options)}
      </select>
    )}
  </Frame>
)

/** A choice where there are values to choose from, else a line of text. */
export const ChoiceField = ({ options, ...field }: TextProps & { options: Options | null | undefined }) =>
  options ? <SelectField options={options} {...field} /> : <TextField {...field} />

export function CheckField({ label, value, onChange }: Pick<Field<boolean>, 'label' | 'value' | 'onChange'>) {
  const id = useId()
  return (
    <div class="row">
      <input id={id} type="checkbox" checked={value} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <label for={id}>{label}</label>
    </div>
  )
}
