import t from 'tap'
import { type Match, matches, matchOf } from '../../src/core/search.js'
import { rows } from '../support/rows.js'

const WAYS = ['contains', 'prefix', 'exact'] as const

t.test('A13 A40: what a search_query matches', async t => {
  const cases: [
    text: string | null | undefined,
    query: string,
    contains: Match,
    prefix: Match,
    exact: Match
  ][] = [
    ...rows<[text: string, query: string, contains: Match, prefix: Match, exact: Match]>(`
      T-12 T-12 same_case same_case same_case | T-12 t-12 other_case other_case other_case | T-12 T-1 same_case same_case no
      T-12 t-1 other_case other_case no | T-12 12 same_case no no | T-12 T-123 no no no | T-12 . no no no | bB B same_case other_case no
      4242 4242 same_case same_case same_case
    `),
    ['T-12', '', 'same_case', 'same_case', 'no'],
    ['', '', 'same_case', 'same_case', 'same_case'],
    [null, 'T', 'no', 'no', 'no'],
    [undefined, 'T', 'no', 'no', 'no'],
    [null, '', 'no', 'no', 'no']
  ]
  for (const [text, query, ...expected] of cases) {
    const found = WAYS.map(how => [matchOf(text, query, how), matches(text, query, how)])
    const wanted = expected.map(match => [match, match !== 'no'])
    t.strictSame(found, wanted, `${text} ${query}`)
  }
})

t.test('A40: letter case is ignored by Unicode, whatever the locale', async t => {
  const same = `
    Größe GRÖSSE größe GRÖẞE grösse GrÖsSe | ΟΔΟΣ οδος οδοσ Οδος | Àéî àÉÎ | Стол СТОЛ | title TITLE Title | ﬁsh FISH fish
    ΐ \u03b9\u0308\u0301 \u0399\u0308\u0301 | İ i\u0307 | \u212a k K | ſ s S | µ μ Μ | Ǆ ǅ ǆ | 𐐀 𐐨 | Ꭰ ꭰ`
  for (const texts of rows<string[]>(same)) {
    for (const text of texts)
      for (const query of texts)
        t.equal(
          matchOf(text, query, 'exact'),
          text === query ? 'same_case' : 'other_case',
          `${text} ${query}`
        )
  }
  t.equal(matchOf('ΟΔΟΣ ΑΘΗΝΑΣ 5', 'αθηνας', 'contains'), 'other_case', 'a final sigma within')
  t.equal(matchOf('ΟΔΟΣΑ', 'οδος', 'prefix'), 'other_case', 'a final sigma of the query alone')
  t.equal(matchOf('Maßstab', 'MASS', 'prefix'), 'other_case')
})

t.test('A40: texts that differ in more than letter case do not match', async t => {
  const apart = rows<[text: string, query: string]>(
    'ı i | ı I | İ i | é e | é e\u0301 | ö oe | １ 1 | Ａ A | ① 1 | - – | \ud800 \udc00'
  )
  for (const [text, query] of apart)
    t.equal(matchOf(text, query, 'exact'), 'no', JSON.stringify([text, query]))
})
