/** Fields of forms, each with its label, a hint and its problem. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Icon } from './icon.js'

export type Options = readonly (string | readonly [value: string, text: string])[]

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string | undefined
  error?: string | null | undefined
  isLabelHidden?: boolean
  options?: Options | null | undefined
  list?: readonly string[] | undefined
  rows?: number
  type?: 'text' | 'search' | 'password'
  placeholder?: string
  disabled?: boolean
  'aria-keyshortcuts'?: string
  onKeyDown?: (event: KeyboardEvent) => void
}

export const bound = (signal: Signal<string>) => ({
  value: signal.value,
  onChange: (value: string) => (signal.value = value)
})

export function Field({
  label,
  isLabelHidden,
  hint,
  error,
  options,
  list,
  rows,
  onChange,
  ...given
}: Props) {
  const id = useId()
  const about = hint || error ? `${id}-about` : undefined
  const control = {
    ...given,
    id,
    spellcheck: false,
    'aria-describedby': about,
    'aria-invalid': Boolean(error),
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value)
  }
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      {options && (
        <select {...control} class={control.value && 'set'}>
          {optionsOf(options)}
        </select>
      )}
      {!options && rows && <textarea {...control} rows={rows} />}
      {!options && !rows && (
        <input {...(control as object)} list={list && `${id}-list`} autocomplete="off" />
      )}
      {list && <datalist id={`${id}-list`}>{optionsOf(list)}</datalist>}
      {about && (
        <div id={about}>
          {hint && <p class="hint">{hint}</p>}
          {error && <p class="problem">{error}</p>}
        </div>
      )}
    </div>
  )
}

const optionsOf = (options: Options) =>
  options.map(option => {
    const [value, text] = typeof option === 'string' ? [option, option] : option
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })

/** Has the table of the page take the key. */
function moveInGrid(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  document
    .querySelector('[role="grid"]')
    ?.dispatchEvent(new KeyboardEvent('keydown', { key: event.key }))
}

/** Narrows a list as you type; `/` leads to it, and from it the arrow keys move the choice. */
export const SearchField = (
  props: Pick<Props, 'label' | 'value' | 'onChange' | 'placeholder' | 'list'>
) => (
  <div class="search">
    <Icon name="search" />
    <Field
      isLabelHidden
      type="search"
      aria-keyshortcuts="/"
      placeholder={props.label}
      onKeyDown={moveInGrid}
      {...props}
    />
  </div>
)

type CheckProps = { label: string; value: boolean; onChange: (value: boolean) => void }

export const CheckField = ({ label, value, onChange }: CheckProps) => (
  <label class="row">
    <input
      type="checkbox"
      checked={value}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {label}
  </label>
)
