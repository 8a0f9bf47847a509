/** Draws from the seed, and records of what was drawn. */
import type { Faker } from '@faker-js/faker'
import type { Family } from '../../reference/operations.js'
import type { RecordOf, Store } from '../../store/store.js'
import { pause } from '../../work/slices.js'
import { type GenerationContext, type RecordFields, recordOf } from '../records/fixture.js'
import { present } from '../shape/checked.js'

export type Generating = GenerationContext & { store: Store; faker: Faker }
export type Weights<N extends string = string> = readonly (readonly [name: N, weight: number])[]

export async function fakerOf(seed: number): Promise<Faker> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  const faker = new (shared.constructor as typeof Faker)({ locale: shared.rawDefinitions })
  faker.seed(seed)
  return faker
}

/** Like `faker.number.int`, but four times as fast. */
export const drawWhole = ({ number }: Faker, min: number, max: number): number =>
  min === max ? min : Math.floor(number.float() * (max - min + 1) + min)
export const drawOne = <T>(faker: Faker, list: readonly T[]): T =>
  list[drawWhole(faker, 0, list.length - 1)] as T

/** Names as often as their weights say. */
export function byWeight<N extends string>(weights: Weights<N>, { number }: Faker): () => N {
  let total = 0
  const names = weights.map(([name, weight]) => {
    total += weight
    return { name, sum: total }
  })
  return () => {
    const point = names.length > 1 ? number.float() * total : 0
    return present(names.find(({ sum }) => sum > point) ?? names.at(-1)).name
  }
}

export async function fill<F extends Family, T>(
  family: F,
  items: Iterable<T>,
  draw: (item: T) => RecordFields,
  { store, ...generation }: Generating
): Promise<RecordOf<F>[]> {
  const records: RecordOf<Family>[] = []
  for (const item of items) {
    records.push(store.put(family, recordOf(family, draw(item), generation, store)))
    await pause()
  }
  return records as RecordOf<F>[]
}
