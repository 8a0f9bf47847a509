/** Buttons, menus and the fields of forms. */
import type { Signal } from '@preact/signals'
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon, type IconName } from './icon.js'

type ButtonProps = Omit<ButtonHTMLAttributes, 'label' | 'onClick' | 'icon'> & {
  text?: ComponentChildren
  icon?: IconName
  label?: string
  run?: () => unknown
}

/** Without `run` it sends its form. An icon alone shows its `label` as a tooltip. */
export const Button = ({ text, icon, label, run, ...more }: ButtonProps) => (
  <button
    type={run ? 'button' : 'submit'}
    title={text === undefined ? label : undefined}
    {...more}
    aria-label={label}
    onClick={run && (() => void run())}
  >
    {icon && <Icon name={icon} />}
    {text !== undefined && (icon ? <span>{text}</span> : text)}
  </button>
)

export const ButtonLink = ({
  text,
  icon,
  class: name = 'small',
  ...more
}: AnchorHTMLAttributes & { text: string; icon: IconName; class?: string }) => (
  <a {...more} class={`button ${name}`}>
    <Icon name={icon} />
    <span>{text}</span>
  </a>
)

export const Form = ({
  send,
  class: name,
  children
}: {
  send: () => unknown
  class?: string
  children: ComponentChildren
}) => (
  <form
    class={name}
    onSubmit={event => {
      event.preventDefault()
      void send()
    }}
  >
    {children}
  </form>
)

export type Options = readonly (string | readonly [value: string, text: string])[]

type FieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string | undefined
  error?: string | null | undefined
  isLabelHidden?: boolean
  options?: Options | null | undefined
  rows?: number
  type?: 'text' | 'search' | 'password'
  placeholder?: string
  disabled?: boolean
  'aria-keyshortcuts'?: string
  onKeyDown?: (event: KeyboardEvent) => void
}

export const closest = ({ target }: Event, selector: string): Element | null =>
  target instanceof Element ? target.closest(selector) : null

export const bound = (signal: Signal<string>) => ({
  value: signal.value,
  onChange: (value: string) => (signal.value = value)
})

export function Field(props: FieldProps) {
  const { label, isLabelHidden, hint, error, options, rows, onChange, ...attributes } = props
  const id = useId()
  const about = hint || error ? `${id}-about` : undefined
  const control = {
    ...attributes,
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
      {!options && !rows && <input {...(control as object)} autocomplete="off" />}
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

function moveInGrid(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  document
    .querySelector('[role="grid"]')
    ?.dispatchEvent(new KeyboardEvent('keydown', { key: event.key }))
}

export const SearchField = (
  props: Pick<FieldProps, 'label' | 'value' | 'onChange' | 'placeholder'>
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

type MenuProps = {
  text: string
  icon?: IconName
  class?: string
  children: ComponentChildren
}

export function Menu({ text, icon, class: name = '', children }: MenuProps) {
  const element = useRef<HTMLDetailsElement>(null)
  const close = () => element.current?.removeAttribute('open')
  useEffect(() => {
    const leave = ({ target }: Event) =>
      target instanceof Node && element.current?.contains(target) === false && close()
    for (const event of ['pointerdown', 'focusin']) document.addEventListener(event, leave)
    return () => {
      for (const event of ['pointerdown', 'focusin']) document.removeEventListener(event, leave)
    }
  }, [])
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !element.current?.open) return
    close()
    element.current.querySelector('summary')?.focus()
  }
  const choose = (event: MouseEvent) => closest(event, 'a, button') && close()
  return (
    <details ref={element} class={`menu ${name}`} onKeyDown={onKeyDown}>
      <summary class="button small" aria-label={text}>
        {icon && <Icon name={icon} />}
        <span>{text}</span>
        <Icon name="down" />
      </summary>
      {/* biome-ignore lint/a11y: Enter on what is chosen is a click too */}
      <div class="items" onClick={choose}>
        {children}
      </div>
    </details>
  )
}
