/** What was nearly right, with what was wanted and what came. */
import type { ComponentChildren } from 'preact'
import type { NearMiss } from '../../../client/documents.js'

type Props = { near: readonly NearMiss[] | undefined; begins: string; shown: (name: string) => ComponentChildren }

/** A sentence for each: how it `begins`, the request or what else it is, as it is `shown`, and the conditions that were not met. */
export const NearMisses = ({ near = [], begins, shown }: Props) =>
  near.map(({ in: name, misses }) => (
    <p key={name} class="faint">
      {begins} {shown(name)}: {misses.map(({ condition, wanted, got }) => `${condition}: wanted ${wanted}; got ${got}`).join(', ')}.
    </p>
  ))
