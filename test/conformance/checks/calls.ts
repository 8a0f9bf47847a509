/** How calls are made: form encoding, the key, the base address, addresses, metadata and updates (reference §1, §2, §4, §5, §9). */
import assert from 'node:assert/strict'
import { ADDRESS, type Context, isUnset } from '../context.js'
import { basic, isAccepted, listed, type Record_, told } from '../service.js'
import type { Check } from '../suite.js'

/** The families that can be made and updated, with what an update may change. */
const UPDATABLE = [
  {
    name: 'a Location',
    path: '/locations',
    make: (ctx: Context, fields = {}) => ctx.location({ ...ADDRESS, phone: '+1 617 555 0100', website: 'https://bistro.example', ...fields }),
    kept: ['display_name', 'address', 'phone', 'website', 'metadata'],
    change: { display_name: 'Renamed' },
    optional: ['phone', 'website']
  },
  {
    name: 'an Account',
    path: '/accounts',
    make: (ctx: Context, fields = {}) => ctx.account({ ...ADDRESS, phone: '+1 617 555 0100', ...fields }),
    kept: ['type', 'name', 'email', 'address', 'phone', 'metadata'],
    change: { name: 'Renamed' },
    optional: ['phone']
  }
] as const

const WITH_METADATA = [
  ...UPDATABLE.map(({ name, path, make }) => ({ name, path, make })),
  {
    name: 'a Refund',
    path: '/refunds',
    make: async (ctx: Context, fields = {}) => ctx.refund((await ctx.charge()).id, { amount: 100, ...fields })
  }
]

const LISTS = ['/locations', '/accounts', '/tickets', '/transactions', '/refunds']

/** The metadata that is set: keys with a value. */
const metadataOf = ({ metadata }: Record_): Record<string, unknown> => Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => !isUnset(value)))

export const CALL_CHECKS: readonly Check[] = [
  {
    rule: 'FORM-1',
    title: 'a form-encoded body is read, spaces, plus signs, ampersands and letters beyond ASCII too',
    run: async ctx => {
      const display_name = 'Café 9 + Söhne & Co = 100 %'
      const { id } = await ctx.post('/locations', ctx.locationFields({ display_name }))
      assert.equal((await ctx.read(`/locations/${id}`)).display_name, display_name)
    }
  },
  {
    rule: 'FORM-1',
    title: 'the same parameters as JSON, or in the query string and not in the body, are refused',
    run: async ctx => {
      await ctx.post('/locations', ctx.locationFields())
      const body = JSON.stringify({ display_name: 'As JSON', address: { country: 'US' } })
      ctx.refused(await ctx.call('POST /locations', { body, headers: { 'content-type': 'application/json' } }))
      ctx.refused(await ctx.call('POST /locations', { query: ctx.locationFields(), body: '' }))
    }
  },
  {
    rule: 'FORM-2',
    title: 'nested values are read from bracket names, percent-encoded or plain',
    run: async ctx => {
      const encoded = await ctx.post('/locations', ctx.locationFields({ 'address[city]': 'Boston' }))
      assert.equal(encoded.address?.city, 'Boston')

      const answer = await ctx.call('POST /locations', { body: 'display_name=Plain&address[country]=US&address[city]=Salem' })
      assert.ok(isAccepted(answer), told(answer))
      assert.equal(answer.body.address?.city, 'Salem')
    }
  },
  {
    rule: 'FORM-2',
    title: 'a nested value written otherwise is refused: as a plain value, with a dot, as JSON',
    run: async ctx => {
      await ctx.post('/locations', { display_name: 'In brackets', 'address[country]': 'US' })
      ctx.refused(await ctx.call('POST /locations', { body: { display_name: 'Plain', address: 'US' } }))
      ctx.refused(await ctx.call('POST /locations', { body: { display_name: 'With a dot', 'address.country': 'US' } }))
      ctx.refused(await ctx.call('POST /locations', { body: { display_name: 'As JSON', address: '{"country":"US"}' } }))
    }
  },
  {
    rule: 'FORM-3',
    title: 'list parameters are read from the query string',
    run: async ctx => {
      const { id } = await ctx.account()
      for (let n = 0; n < 2; n++) await ctx.user(id)
      assert.equal((await ctx.page(`/accounts/${id}/users`, { limit: 1 })).records.length, 1)
      assert.equal((await ctx.page(`/accounts/${id}/users`, { 'created[lt]': '2000-01-01T00:00:00Z' })).records.length, 0)
    }
  },
  {
    rule: 'FORM-3',
    title: 'list parameters posted in a body are refused',
    run: async ctx => {
      const { id } = await ctx.account()
      for (const path of ['/locations', '/accounts', `/accounts/${id}/users`, '/refunds']) ctx.refused(await ctx.call(`POST ${path}`, { body: { limit: 1 } }))
    }
  },
  {
    rule: 'AUTH-1',
    title: 'the key is let in as user name with an empty password, and refused as password, as Bearer token and bare',
    run: async ctx => {
      const { merchantKey } = ctx.target
      const withHeader = (authorization: string) => ctx.call('GET /locations', { key: null, headers: { authorization } })
      listed(await withHeader(basic(merchantKey, '')))
      const otherwise = [basic('', merchantKey), basic(merchantKey).replace('Basic', 'Bearer'), `Bearer ${merchantKey}`, merchantKey]
      for (const authorization of otherwise) ctx.refused(await withHeader(authorization))
    }
  },
  {
    rule: 'AUTH-2',
    title: 'POST /transactions is carried out without a key',
    run: async ctx => {
      const { id } = await ctx.post('/transactions', await ctx.paymentFields(), { key: null })
      assert.equal((await ctx.read(`/transactions/${id}`)).id, id)
    }
  },
  {
    rule: 'AUTH-3',
    title: 'every list is answered with the key and refused without one',
    run: async ctx => {
      const { id } = await ctx.account()
      for (const path of [...LISTS, `/accounts/${id}/users`]) {
        await ctx.page(path)
        ctx.refused(await ctx.call(`GET ${path}`, { key: null }))
      }
    }
  },
  {
    rule: 'AUTH-3',
    title: 'every read is answered with the key and refused without one',
    run: async ctx => {
      const transaction = await ctx.charge()
      const refund = await ctx.refund(transaction.id)
      const paths = [
        `/locations/${(await ctx.location()).id}`,
        `/accounts/${(await ctx.account()).id}`,
        `/tickets/${await ctx.ticket()}`,
        `/transactions/${transaction.id}`,
        `/refunds/${refund.id}`
      ]
      for (const path of paths) {
        await ctx.read(path)
        ctx.refused(await ctx.call(`GET ${path}`, { key: null }))
      }
    }
  },
  {
    rule: 'AUTH-3',
    title: 'every create, update and User delete is refused without a key, and changes nothing',
    run: async ctx => {
      const [location, account, charge] = [await ctx.location(), await ctx.account(), await ctx.charge()]
      const user = await ctx.user(account.id)
      const refund = await ctx.refund(charge.id, { amount: 400 })

      ctx.refused(await ctx.call('POST /locations', { key: null, body: ctx.locationFields() }))
      ctx.refused(await ctx.call(`POST /locations/${location.id}`, { key: null, body: { display_name: 'Changed' } }))
      ctx.refused(await ctx.call('POST /accounts', { key: null, body: ctx.accountFields() }))
      ctx.refused(await ctx.call(`POST /accounts/${account.id}`, { key: null, body: { name: 'Changed' } }))
      ctx.refused(await ctx.call(`POST /accounts/${account.id}/users`, { key: null, body: ctx.userFields() }))
      ctx.refused(await ctx.call(`DELETE /accounts/${account.id}/users/${user.id}`, { key: null }))
      ctx.refused(await ctx.call('POST /refunds', { key: null, body: { transaction: charge.id } }))
      ctx.refused(await ctx.call(`POST /refunds/${refund.id}`, { key: null, body: { 'metadata[a]': '1' } }))

      assert.deepEqual(await ctx.read(`/locations/${location.id}`), location)
      assert.deepEqual(await ctx.read(`/accounts/${account.id}`), account)
      assert.deepEqual((await ctx.page(`/accounts/${account.id}/users`)).ids, [user.id])
      assert.deepEqual(await ctx.read(`/refunds/${refund.id}`), refund)
      assert.equal((await ctx.post('/refunds', { transaction: charge.id })).amount, 600)
    }
  },
  {
    rule: 'BASE-1',
    title: 'the base address ends in the segment next: a path below it is answered, one beside it is refused',
    run: async ctx => {
      const { baseUrl } = ctx.target
      assert.equal(new URL(baseUrl).pathname.split('/').at(-1), 'next')
      await ctx.page('/locations')
      ctx.refused(await ctx.call('GET /locations', { base: baseUrl.replace(/\/next$/, '') }))
    }
  },
  ...UPDATABLE.flatMap(({ name, path, make }): Check[] => [
    {
      rule: 'ADDR-1',
      title: `the six address sub-fields of ${name} are kept, as strings`,
      run: async ctx => {
        const { id } = await make(ctx)
        const { address } = await ctx.read(`${path}/${id}`)
        for (const [parameter, value] of Object.entries(ADDRESS)) assert.equal(address?.[parameter.slice('address['.length, -1)], value, parameter)
      }
    },
    {
      rule: 'ADDR-1',
      title: `a sub-field of ${name} that is not a string is refused`,
      run: async ctx => {
        const fields = path === '/locations' ? ctx.locationFields() : ctx.accountFields()
        await ctx.post(path, { ...fields, 'address[city]': 'Boston' })
        ctx.refused(await ctx.call(`POST ${path}`, { body: { ...fields, 'address[city][name]': 'Boston' } }))
        ctx.refused(await ctx.call(`POST ${path}`, { body: { ...fields, 'address[city][]': 'Boston' } }))
      }
    },
    {
      rule: 'ADDR-2',
      title: `${name} takes two-letter ISO 3166-1 countries`,
      run: async ctx => {
        for (const country of ['US', 'GB', 'JP']) {
          const { id } = await ctx.post(path, {
            ...(path === '/locations' ? ctx.locationFields() : ctx.accountFields()),
            'address[country]': country
          })
          assert.equal((await ctx.read(`${path}/${id}`)).address?.country, country)
        }
      }
    },
    {
      rule: 'ADDR-2',
      title: `another country is refused, when ${name} is made and when it is updated`,
      run: async ctx => {
        const made = await make(ctx)
        for (const country of ['USA', 'U', 'XX', '840', 'United States']) {
          const fields = { ...(path === '/locations' ? ctx.locationFields() : ctx.accountFields()), 'address[country]': country }
          ctx.refused(await ctx.call(`POST ${path}`, { body: fields }))
          ctx.refused(await ctx.call(`POST ${path}/${made.id}`, { body: { 'address[country]': country } }))
        }
        assert.deepEqual((await ctx.read(`${path}/${made.id}`)).address, made.address)
      }
    }
  ]),
  ...WITH_METADATA.flatMap(({ name, path, make }): Check[] => [
    {
      rule: 'META-1',
      title: `${name} keeps key-value pairs`,
      run: async ctx => {
        const { id } = await make(ctx, { 'metadata[order]': 'A-17', 'metadata[till]': '3' })
        assert.deepEqual(metadataOf(await ctx.read(`${path}/${id}`)), { order: 'A-17', till: '3' })
      }
    },
    {
      rule: 'META-1',
      title: `metadata of ${name} that is no pairs is refused`,
      run: async ctx => {
        const made = await make(ctx, { 'metadata[order]': 'A-17' })
        ctx.refused(await ctx.call(`POST ${path}/${made.id}`, { body: { metadata: 'A-18' } }))
        assert.deepEqual(metadataOf(await ctx.read(`${path}/${made.id}`)), { order: 'A-17' })
      }
    },
    {
      rule: 'META-2',
      title: `an empty value unsets one key of ${name}, and only that`,
      run: async ctx => {
        const { id } = await make(ctx, { 'metadata[order]': 'A-17', 'metadata[till]': '3' })
        await ctx.post(`${path}/${id}`, { 'metadata[order]': '' })
        assert.deepEqual(metadataOf(await ctx.read(`${path}/${id}`)), { till: '3' })
      }
    },
    {
      rule: 'META-3',
      title: `an empty metadata unsets all keys of ${name}`,
      run: async ctx => {
        const { id } = await make(ctx, { 'metadata[order]': 'A-17', 'metadata[till]': '3' })
        assert.deepEqual(metadataOf(await ctx.read(`${path}/${id}`)), { order: 'A-17', till: '3' })
        await ctx.post(`${path}/${id}`, { metadata: '' })
        assert.deepEqual(metadataOf(await ctx.read(`${path}/${id}`)), {})
      }
    }
  ]),
  ...UPDATABLE.flatMap(({ name, path, make, kept, change, optional }): Check[] => [
    {
      rule: 'UPD-1',
      title: `what an update of ${name} leaves out stays unchanged`,
      run: async ctx => {
        const { id } = await make(ctx, { 'metadata[order]': 'A-17' })
        const before = await ctx.read(`${path}/${id}`)

        await ctx.post(`${path}/${id}`, change)

        const after = await ctx.read(`${path}/${id}`)
        for (const field of kept) assert.deepEqual(after[field], (change as Record_)[field] ?? before[field], field)
        assert.equal(after.created, before.created)
      }
    },
    {
      rule: 'UPD-1',
      title: `sub-fields of the address of ${name} that are left out stay unchanged`,
      run: async ctx => {
        const { id } = await make(ctx)
        const before = await ctx.read(`${path}/${id}`)
        await ctx.post(`${path}/${id}`, { 'address[city]': 'Salem' })
        assert.deepEqual((await ctx.read(`${path}/${id}`)).address, { ...before.address, city: 'Salem' })
      }
    },
    {
      rule: 'UPD-2',
      title: `an empty value unsets a parameter of ${name}, and only that`,
      run: async ctx => {
        const { id } = await make(ctx)
        for (const field of optional) {
          const before = await ctx.read(`${path}/${id}`)
          assert.ok(!isUnset(before[field]), `${field} was set`)
          await ctx.post(`${path}/${id}`, { [field]: '' })
          const after = await ctx.read(`${path}/${id}`)
          assert.ok(isUnset(after[field]), `${field} is unset, not ${after[field]}`)
          assert.deepEqual(after.address, before.address)
        }
      }
    },
    {
      rule: 'UPD-2',
      title: `an empty value unsets a sub-field of the address of ${name}`,
      run: async ctx => {
        const { id } = await make(ctx)
        await ctx.post(`${path}/${id}`, { 'address[line2]': '' })
        const { address } = await ctx.read(`${path}/${id}`)
        assert.ok(isUnset(address?.line2), `line2 is unset, not ${address?.line2}`)
        assert.equal(address?.line1, ADDRESS['address[line1]'])
      }
    }
  ])
]
