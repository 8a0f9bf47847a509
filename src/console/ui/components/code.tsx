/** Code and JSON; what a client sent is text, never markup. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './controls.js'
import { copy } from './toast.js'
import { tokensOf } from './values.js'

const SHOWN_TOKENS = 4000

type CodeProps = { text: string; label: string; children?: ComponentChildren }

export function CodeBlock({ text, label, children }: CodeProps) {
  return (
    <figure class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{children ?? text}</code>
      </pre>
      <Button class="small" text="Copy" label={`Copy ${label}`} run={() => copy(text, label)} />
    </figure>
  )
}

type JsonProps = {
  value: unknown
  label: string
  hrefOfText?: (text: string) => string | undefined
}

export function Json({ value, label, hrefOfText = () => undefined }: JsonProps) {
  const [isWhole, setWhole] = useState(false)
  const tokens = tokensOf(value)
  const visible = isWhole ? tokens : tokens.slice(0, SHOWN_TOKENS)
  return (
    <div>
      <CodeBlock text={JSON.stringify(value, null, 2)} label={label}>
        {visible.map(({ kind, text, content }, place) => {
          const href = content === undefined ? undefined : hrefOfText(content)
          const Shown = href === undefined ? 'span' : 'a'
          return (
            <Shown key={place} class={kind} href={href}>
              {text}
            </Shown>
          )
        })}
      </CodeBlock>
      {visible.length < tokens.length && <Button text="Show all" run={() => setWhole(true)} />}
    </div>
  )
}
