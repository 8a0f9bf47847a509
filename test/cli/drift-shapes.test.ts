/**
 * A service that shows lists and errors by other templates: the comparison proposes them, and
 * nothing that differs otherwise passes with them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { playOver } from '../../src/cli/check/service-calls.js'
import { answerDifferences, IdPairs } from '../../src/cli/drift/compare.js'
import { serviceState } from '../../src/cli/drift/service-state.js'
import { SAYS } from '../../src/cli/sentences.js'
import { settingsInForce } from '../../src/core/settings.js'
import { LIST_TEMPLATE } from '../../src/core/templates.js'
import type { Json, StepCall } from '../../src/scenario/steps.js'
import {
  against,
  ask,
  differs,
  differsIn,
  type Passing,
  path,
  proxied,
  record,
  service
} from '../support/against.js'

type Body = Record<string, unknown>
type List = { url: string; data: Body[]; has_more: boolean; first_id: string; last_id: string }
type ErrorBody = { code: string; type: string; message: string; param?: string; request_id: string }

const PAY = { ticket: '${tkt_a}', payment_type: 'card', amount: 500 }
const refused = (status: number, step: object) => ({ ...step, expect: { status } })
const SCENARIO = {
  steps: [{ as: 'payment', do: 'POST /transactions', body: PAY }],
  play: [
    ask('GET /tickets limit=3'),
    ask('GET /transactions/${payment.id}'),
    ask('POST /refunds transaction=${payment.id} amount=20'),
    ask('GET /transactions/${payment.id}'),
    ask('GET /refunds transaction=${payment.id}'),
    ask('GET /tickets limit=4 search_query=n-1'),
    refused(501, ask('DELETE /locations/${loc_a}')),
    refused(400, ask('POST /refunds transaction=${payment.id} amount=900')),
    refused(404, ask('GET /tickets/tkt_nowhere')),
    refused(400, ask('GET /tickets limit=500'))
  ]
}

type Shape = {
  list?: (list: List, passing: Passing) => unknown
  error?: (error: ErrorBody, passing: Passing) => unknown
}

/**
 * Every list of an answer in another envelope, also the Refunds of a Transaction, and the error.
 */
const reshaped =
  ({ list = value => value, error = own => ({ error: own }) }: Shape) =>
  (passing: Passing): void => {
    const shown = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map(shown)
      const parts = Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, shown(part)])
      )
      return parts.object === 'list' ? list(parts as List, passing) : parts
    }
    const body = JSON.parse(passing.text)
    passing.text = JSON.stringify(
      body.error === undefined ? shown(body) : error(body.error, passing)
    )
  }
const titleOf = (assumption: string, key: string, template: unknown) =>
  `${assumption} ${key}: ${JSON.stringify(template)}`

t.test('check --against: templates are proposed, and with them nothing differs', async t => {
  const baseUrl = await service(t, {}, { seed: 5 })
  const root = mkdtempSync(join(tmpdir(), 'shapes-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  const cases: [title: string, change: Shape, request: string][] = [
    ['a list of two fields', { list: ({ data, has_more }) => ({ data, hasMore: has_more }) }, '1'],
    [
      'a nested list with constants and addresses',
      {
        list: ({ url, data, has_more, first_id, last_id }) => ({
          ok: true,
          version: 2,
          list: { items: data, ids: { from: first_id, to: last_id } },
          meta: { more: has_more, kind: 'page', path: url, hint: null }
        })
      },
      '1'
    ],
    [
      'a list beside a boolean that does not change',
      { list: ({ data, has_more }) => ({ rows: data, a: true, z: has_more }) },
      '1'
    ],
    [
      'a list of errors',
      { error: ({ code, message }) => ({ errors: [{ reason: code, detail: message }] }) },
      '7'
    ],
    [
      'an error with all that it may have',
      {
        error: ({ code, type, message, param, request_id }) => ({
          ok: false,
          kind: type,
          code,
          why: message,
          trace: request_id,
          ...(param && { field: param })
        })
      },
      '8'
    ],
    ['an error with less', { error: ({ code, message }) => ({ error: { code, message } }) }, '8']
  ]
  const LIST = {
    url: '$url',
    data: '$members',
    has_more: '$has_more',
    first_id: '$first_id',
    last_id: '$last_id'
  } as unknown as List
  const ERROR = {
    code: '$code',
    type: '$type',
    message: '$message',
    param: '$param',
    request_id: '$request_id'
  }
  for (const [index, [title, change, request]] of cases.entries()) {
    const { list, error } = change
    const wanted = list
      ? titleOf('A09', 'shapes.list', list(LIST, {} as Passing))
      : titleOf('A07', 'shapes.error', error?.(ERROR, {} as Passing))
    const base = proxied(baseUrl, reshaped(change))
    const file = join(root, `${index}.yaml`)

    const first = await against(t, `${base}/sandbox/first-${index}/next`, SCENARIO, [
      '--write-settings',
      file
    ])
    const second = await against(t, `${base}/sandbox/second-${index}/next`, SCENARIO, [
      '--settings',
      file
    ])

    t.strictSame(
      [first.status, first.titles],
      [1, [wanted]],
      `${title}: ${JSON.stringify(first.found)}`
    )
    t.equal(Object.values(first.found)[0]?.[0], request, title)
    t.strictSame(
      [second.status, second.titles],
      [0, []],
      `${title}: ${JSON.stringify(second.found)} ${readFileSync(file)}`
    )
  }
})

/** What a run says, by its titles, without the values of templates. */
const saidOf = (found: Record<string, string[]>) =>
  Object.entries(found).map(([title, problems]) => [
    title,
    problems.map(problem => problem.replace(/rfd_\w{24}/, 'rfd_own'))
  ])

t.test(
  'check --against: no template is proposed where one does not fit, and what differs stays wrong',
  async t => {
    const baseUrl = await service(t, {}, { seed: 5 })
    const onTickets = (list: (list: List) => unknown) => ({
      list: (own: List, { path }: Passing) => (path.includes('/tickets') ? list(own) : own)
    })
    const MANY = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`n${index}`, 'x']))
    const deep = (depth: number, items: unknown): unknown => ({
      [depth === 1 ? 'items' : depth]: depth === 1 ? items : deep(depth - 1, items)
    })
    const play = [ask('GET /tickets limit=3'), ask('GET /tickets limit=50')]
    const limits = [
      refused(400, ask('GET /tickets limit=500')),
      refused(404, ask('GET /tickets/tkt_nowhere'))
    ]
    const cases: [title: string, change: Shape, play: object[], problem: string][] = [
      [
        'no has_more',
        onTickets(({ data }) => ({ items: data })),
        play,
        differs('has_more', true, undefined)
      ],
      [
        'has_more as a text',
        onTickets(({ data, has_more }) => ({ items: data, more: String(has_more) })),
        play,
        differs('more', undefined, 'true')
      ],
      [
        'has_more the other way round',
        onTickets(({ data, has_more }) => ({ data, end: !has_more })),
        play,
        differs('has_more', true, undefined)
      ],
      [
        'a record of another family',
        onTickets(({ data, has_more }) => ({
          items: [...data, { id: 'loc_a', object: 'location' }],
          more: has_more
        })),
        play,
        path('data')
      ],
      [
        'two lists of records',
        onTickets(({ data, has_more }) => ({ items: data, others: data, more: has_more })),
        play,
        path('data')
      ],
      [
        'an envelope of more values than one has',
        onTickets(({ data, has_more }) => ({ items: data, more: has_more, all: MANY })),
        play,
        path('data')
      ],
      [
        'an envelope that is deeper than one is',
        onTickets(({ data, has_more }) => ({ a: deep(9, data), more: has_more })),
        play,
        path('data')
      ],
      [
        'another code',
        { error: ({ message }) => ({ errors: [{ reason: 'too_much', detail: message }] }) },
        limits,
        path('error')
      ],
      ['no message', { error: ({ code }) => ({ reason: code, detail: 7 }) }, limits, path('error')],
      [
        'two errors',
        { error: ({ code, message }) => ({ errors: Array(2).fill({ code, message }) }) },
        limits,
        path('error')
      ],
      [
        'another type at the usual place',
        { error: ({ code, message }) => ({ error: { type: 'problem', code, message } }) },
        limits,
        differs('error.type', 'invalid_request_error', 'problem')
      ]
    ]
    for (const [index, [title, change, play, problem]] of cases.entries()) {
      const base = proxied(baseUrl, reshaped(change))

      const { status, found, stdout, failures } = await against(
        t,
        `${base}/sandbox/case-${index}/next`,
        { play }
      )

      t.equal(status, 1, title)
      t.notOk(/shapes\.(?:list|error)|shapes:\n/.test(stdout), `${title}: ${stdout}`)
      t.ok(
        failures.some(text => text.startsWith(problem)),
        `${title}: ${JSON.stringify(found)}`
      )
    }
  }
)

t.test(
  'check --against: what a template cannot say of an envelope stays wrong beside it',
  async t => {
    const baseUrl = await service(t, {}, { seed: 5 })
    const title = titleOf('A09', 'shapes.list', { items: '$members', more: '$has_more' })
    const LISTS = [ask('GET /tickets limit=3'), ask('GET /tickets limit=2')]
    const PAID = [
      ...SCENARIO.steps,
      ask('POST /refunds transaction=${payment.id} amount=20'),
      ask('GET /refunds transaction=${payment.id}')
    ]
    const isOfRefunds = ({ method, path }: Passing) => method === 'GET' && path.includes('/refunds')
    const more = (data: Body[], passing: Passing) =>
      isOfRefunds(passing) ? [{ ...data[0], id: 'rfd_x' }, ...data] : data
    const cases: [shape: NonNullable<Shape['list']>, play: object[], said: unknown[]][] = [
      [
        ({ data, has_more }) => ({ items: data, more: has_more, total: data.length }),
        LISTS,
        [
          ['A09', [differs('total', undefined, 3), differs('total', undefined, 2, 2)]],
          [title, ['1']]
        ]
      ],
      [
        ({ data, has_more }) => ({ items: data, more: has_more, total: 3 }),
        LISTS.slice(0, 1),
        [
          ['A09', [differs('total', undefined, 3)]],
          [title, ['1']]
        ]
      ],
      [
        ({ data, has_more }, passing) => ({ items: more(data, passing), more: has_more }),
        PAID,
        [
          ['wrong', [record('items[0]', 'rfd_own', 'rfd_x', 3), differsIn('items', 1, 2, 3)]],
          [title, ['3']]
        ]
      ]
    ]
    for (const [index, [list, play, said]] of cases.entries()) {
      const { status, found } = await against(
        t,
        `${proxied(baseUrl, reshaped({ list }))}/sandbox/case-${index}/next`,
        { play }
      )

      t.strictSame([status, saidOf(found)], [1, said])
    }
  }
)

t.test('check --against: calls that need different templates are a contradiction', async t => {
  const baseUrl = await service(t, {}, { seed: 5 })
  const own = { items: '$members', more: '$has_more' }
  const base = proxied(
    baseUrl,
    reshaped({
      list: ({ data, has_more }, { path }) =>
        path.includes('/tickets') ? { items: data, more: has_more } : { rows: data, next: has_more }
    })
  )

  const { status, found, stdout } = await against(t, `${base}/next`, {
    play: [ask('GET /tickets limit=3'), ask('GET /locations limit=3'), ask('GET /tickets limit=2')]
  })

  t.equal(status, 1)
  t.strictSame(found['contradiction shapes.list'], [
    SAYS.needs('2', { 'shapes.list': { rows: '$members', next: '$has_more' } }),
    SAYS.needs('1', { 'shapes.list': own }),
    SAYS.needs('3', { 'shapes.list': own })
  ])
  t.notOk(stdout.includes('\nsettings:'), stdout)
})

t.test(
  'check --against: the names of cursors are proposed where addresses in lists tell them',
  async t => {
    const baseUrl = await service(t, {}, { seed: 5 })
    const play = [
      ask('page: GET /tickets limit=3'),
      ask('GET /tickets limit=3 starting_after=tkt_8')
    ]
    const addressed = (after: string, before: string) => ({
      list: (list: List) => ({
        ...list,
        next: `/next/tickets?limit=3&${after}=${list.data.at(-1)?.id}`,
        previous: `/next/tickets?${before}=${list.data[0]?.id}`
      })
    })
    const refusing = (passing: Passing) => {
      if (!passing.path.includes('starting_after')) return
      const error = {
        type: 'invalid_request_error',
        code: 'parameter_unknown',
        message: 'No.',
        param: 'starting_after',
        assumption: 'A14'
      }
      Object.assign(passing, {
        status: 400,
        text: JSON.stringify({ error: { ...error, request_id: passing.id } })
      })
    }
    let first = ''
    const ignoring = (passing: Passing) => {
      if (passing.path.includes('starting_after')) passing.text = first
      else first = passing.text
    }
    const cases: [
      title: string,
      change: (passing: Passing) => void,
      isTold: boolean,
      title: string
    ][] = [
      ['refused', refusing, true, 'A10 pagination.cursors: ["after","before"]'],
      [
        'ignored',
        ignoring,
        true,
        'A10 pagination.cursors: ["after","before"], parameters.unknown: ignore'
      ],
      ['refused, told by nothing', refusing, false, ''],
      ['ignored, told by nothing', ignoring, false, '']
    ]
    for (const [index, [title, change, isTold, wanted]] of cases.entries()) {
      const tell = isTold ? reshaped(addressed('after', 'before')) : () => {}
      const base = proxied(baseUrl, passing => {
        change(passing)
        tell(passing)
      })

      const { status, found } = await against(t, `${base}/sandbox/case-${index}/next`, { play })

      t.equal(status, 1, title)
      t.strictSame(
        Object.keys(found).filter(title => title.includes('cursors')),
        isTold ? [wanted] : [],
        `${title}: ${JSON.stringify(found)}`
      )
      const advised = Object.values(found)
        .flat()
        .filter(problem => problem.includes(SAYS.paging()))
      t.equal(advised.length > 0, !isTold, `${title}: ${JSON.stringify(found)}`)
    }
  }
)

t.test(
  'check --against: without a message by the template, a step that fails tells its status alone',
  async t => {
    const baseUrl = await service(t, { 'shapes.error': { reason: '$code', why: '$message' } })
    const play = [ask('GET /tickets/tkt_nowhere')]
    const STEP = 'play 1. GET /tickets/tkt_nowhere'

    const usual = await against(t, baseUrl, { play })
    const given = await against(t, baseUrl, {
      play,
      settings: { shapes: { error: { reason: '$code', why: '$message' } } }
    })
    const nobody = await against(t, 'http://127.0.0.1:1', {
      play,
      settings: { shapes: { error: { why: '$message' } } }
    })

    t.strictSame(usual.found[STEP], ['status: must be a 2xx; got 404'])
    t.match(given.found[STEP]?.[0], /^status: must be a 2xx; got 404 \(.*tkt_nowhere/)
    t.match(nobody.found[STEP]?.[0], /^status: must be a 2xx, but no response came/)
  }
)

const CALL: StepCall = { method: 'GET', path: '/tickets', query: '', key: null, form: null }
const HEADERS = { 'content-type': 'application/json' }
const KNOWN = { isKnown: (id: string) => id.startsWith('tkt_'), isLoaded: () => false }
const comparison = () => ({
  pairs: new IdPairs(KNOWN),
  bases: { here: '', there: '' },
  isEarlier: () => false,
  shapes: { list: LIST_TEMPLATE, error: {} }
})

t.test('drift: members of a list without an id are compared by their fields', async t => {
  const of = (id: number) => ({ status: 200, body: [{ id }, 'a'], headers: HEADERS })
  const difference = answerDifferences(of(1), of(2), comparison())

  t.strictSame(difference, [{ kind: 'value', steps: [0, 'id'], here: 2, there: 1 }])
})

t.test('drift: a list whose records have no ids is read as far as its first page', async t => {
  for (const data of [[], [{ name: 'a' }], [{ id: null }]]) {
    let calls = 0
    const play = async () => {
      calls++
      return { status: 200, body: { data, has_more: true }, headers: HEADERS }
    }
    const reading = {
      play,
      key: null,
      pairs: new IdPairs(KNOWN),
      settings: settingsInForce({}).values,
      accountOf: () => undefined
    }
    const { unread } = await serviceState({ refunds: { count: 1 } }, async () => [], reading)

    t.strictSame([unread, calls], [[], 1])
  }
})

t.test('check: why a call that was never sent has no answer', async t => {
  const cases: [base: string, method: string, message: string][] = [
    ['http://127.0.0.1:1', 'GET', SAYS.no_response('bad port')],
    ['http://127.0.0.1:1', 'TRACE', SAYS.no_response("'TRACE' HTTP method is unsupported.")],
    ['http://:', 'GET', SAYS.no_response('ERR_INVALID_URL')]
  ]
  for (const [base, method, message] of cases) {
    const answer = await playOver(base, { maxBytes: 1_000_000, timeout: 30_000 })(
      { ...CALL, method },
      undefined as never
    )
    t.strictSame(answer, { status: 0, body: { error: { message } }, fault: null })
  }
})

t.test('drift: the texts of an error are those of its template, and nothing else is', async t => {
  const answer = (body: Json) => ({ status: 400, body, headers: HEADERS })
  const [here, there] = [
    answer({ oops: { text: 'a', id: 'req_1' }, message: 'a' }),
    answer({ oops: { text: 'b', id: 'req_2' }, message: 'b' })
  ]
  const error = { oops: { text: '$message', id: '$request_id' }, message: 'a' }

  t.strictSame(
    answerDifferences(there, here, { ...comparison(), shapes: { list: LIST_TEMPLATE, error } }).map(
      ({ steps }) => steps
    ),
    [['message']]
  )
})

t.test(
  'drift: lists of a service are read by the names and the template that the settings give',
  async t => {
    const settings = {
      ...settingsInForce({}).values,
      'pagination.cursors': ['after', 'before'] as const,
      'shapes.list': { rows: '$members', more: '$has_more' }
    }
    const queries: string[] = []
    const play = async ({ query }: { query: string }) => {
      queries.push(query)
      return {
        status: 200,
        body: { rows: [{ id: `rfd_${queries.length}` }], more: queries.length === 1 },
        headers: HEADERS
      }
    }
    const reading = {
      play,
      key: null,
      pairs: new IdPairs(KNOWN),
      settings,
      accountOf: () => undefined
    }

    const { unread } = await serviceState({ refunds: { count: 2 } }, async () => [], reading)

    t.strictSame(
      [unread, queries.map(query => query.replace(/^.*?(&|$)/, ''))],
      [[], ['', 'after=rfd_1']]
    )
  }
)
