/** What is read where it is shown. */
import type { ComponentChildren } from 'preact'
import { type Options, useResource } from '../app/resource.js'
import { Loaded } from './states.js'

type Props<T> = Options & { from: () => Promise<T> /** Another key forgets what was read before. */; by?: string; children: (data: T) => ComponentChildren }

/** Reads, and shows what was read. */
export const Read = <T,>({ from, by, children, ...options }: Props<T>) => <Loaded resource={useResource(from, by, options)}>{children}</Loaded>
