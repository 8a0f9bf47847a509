import fc from 'fast-check'
import t from 'tap'
import { jsonPieces, lazily } from '../../src/work/json-pieces.js'
import { property } from '../support/property.js'

async function piecesOf(value: unknown, levels?: number): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(value, levels)) pieces.push(piece)
  return pieces
}
/** JSON with values that `JSON.stringify` leaves out or writes as null. */
const { value: VALUES } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 })
  )
}))

t.test(
  'json pieces: together they equal JSON.stringify, however many levels are written by item',
  async t => {
    await property(
      t,
      'json pieces are JSON',
      { of: fc.tuple(VALUES, fc.nat(5)), runs: 500 },
      async ([value, levels]) => {
        const whole = JSON.stringify({ value })
        const found = (await piecesOf({ value }, levels)).join('')
        if (found !== whole) throw new Error(`${found} is not ${whole}`)
      }
    )
  }
)

t.test(
  'json pieces: long values come in several, and items of a lazy list are created when written',
  async t => {
    let made = 0
    const list = lazily(
      Array.from({ length: 100 }, (_, nth) => nth),
      nth => {
        made++
        return { nth, text: 'x'.repeat(5000) }
      }
    )
    const pieces = jsonPieces({ list, empty: lazily([], nth => nth) })
    t.equal(made, 0)
    const { value: first } = await pieces.next()
    t.ok(made > 5 && made < 50, `${made} were made for the first piece`)
    let rest = ''
    for await (const piece of pieces) rest += piece
    t.equal(first + rest, JSON.stringify({ list, empty: [] }))
    t.equal((await piecesOf({ a: 1 })).length, 1)
  }
)
