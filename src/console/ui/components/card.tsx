/** Sections of a page in frames. */
import type { ComponentChildren } from 'preact'

type Props = { id: string; title: ComponentChildren /** Whether the focus can go to its heading. */; isFocusable?: boolean; children: ComponentChildren }

/** It is named by its heading. */
export const Card = ({ id, title, isFocusable, children }: Props) => (
  <section class="card stack" aria-labelledby={id}>
    <h2 id={id} tabIndex={isFocusable ? -1 : undefined}>
      {title}
    </h2>
    {children}
  </section>
)
