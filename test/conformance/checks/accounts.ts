/** Locations, Accounts and Users (reference §1, §2, §4, §7). */
import assert from 'node:assert/strict'
import type { Context } from '../context.js'
import { type Fields, isAccepted, told } from '../service.js'
import type { Check } from '../suite.js'

const without = (name: string, fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name))

/** A required parameter: the create is carried out with it and refused without it. */
const needs = (rule: string, parameter: string, path: (ctx: Context) => Promise<string>, fields: (ctx: Context) => Fields): Check => ({
  rule,
  title: `a create with ${parameter} is carried out; without it, it is refused`,
  run: async ctx => {
    const on = await path(ctx)
    await ctx.post(on, fields(ctx))
    ctx.refused(await ctx.call(`POST ${on}`, { body: without(parameter, fields(ctx)) }))
  }
})
const ofLocations = (rule: string, parameter: string) =>
  needs(
    rule,
    parameter,
    async () => '/locations',
    ctx => ctx.locationFields()
  )
const ofAccounts = (rule: string, parameter: string) =>
  needs(
    rule,
    parameter,
    async () => '/accounts',
    ctx => ctx.accountFields()
  )
const ofUsers = (rule: string, parameter: string) =>
  needs(
    rule,
    parameter,
    async ctx => `/accounts/${(await ctx.account()).id}/users`,
    ctx => ctx.userFields()
  )

/** A delete that always aborts: 501 exactly, and the record stays. */
const alwaysAborts = (rule: string, path: string, make: (ctx: Context) => Promise<{ id?: string }>): Check => ({
  rule,
  title: `DELETE ${path}/{id} answers 501, however often it is called, and the record stays as it is`,
  run: async ctx => {
    const made = await make(ctx)
    for (let n = 0; n < 2; n++) {
      const answer = await ctx.call(`DELETE ${path}/${made.id}`)
      assert.equal(answer.status, 501, told(answer))
    }
    assert.deepEqual(await ctx.read(`${path}/${made.id}`), made)
  }
})

export const ACCOUNT_CHECKS: readonly Check[] = [
  ofLocations('LOC-1', 'display_name'),
  ofLocations('LOC-2', 'address[country]'),
  {
    rule: 'LOC-3',
    title: "a merchant's key creates a Location; a reseller's is refused",
    run: async ctx => {
      const { resellerKey } = ctx.target
      if (!resellerKey) ctx.skip('no reseller key was given')
      await ctx.page('/locations')
      const known = await ctx.call('GET /locations', { key: resellerKey })
      assert.ok(isAccepted(known), `the reseller key is good for other calls; ${told(known)}`)

      await ctx.post('/locations', ctx.locationFields())
      ctx.refused(await ctx.call('POST /locations', { key: resellerKey, body: ctx.locationFields() }))
    }
  },
  alwaysAborts('LOC-4', '/locations', ctx => ctx.location()),
  ofAccounts('ACC-1', 'type'),
  {
    rule: 'ACC-1',
    title: 'type is merchant or reseller; another one is refused',
    run: async ctx => {
      for (const type of ['merchant', 'reseller']) {
        const { id } = await ctx.post('/accounts', ctx.accountFields({ type }))
        assert.equal((await ctx.read(`/accounts/${id}`)).type, type)
      }
      for (const type of ['partner', 'customer']) ctx.refused(await ctx.call('POST /accounts', { body: ctx.accountFields({ type }) }))
    }
  },
  ofAccounts('ACC-2', 'name'),
  ofAccounts('ACC-3', 'email'),
  ofAccounts('ACC-4', 'address[country]'),
  alwaysAborts('ACC-5', '/accounts', ctx => ctx.account()),
  {
    rule: 'USR-1',
    title: 'a User is listed under the Account that its path names, and under no other',
    run: async ctx => {
      const [parent, other] = [await ctx.account(), await ctx.account()]
      const user = await ctx.post(`/accounts/${parent.id}/users`, ctx.userFields())
      assert.deepEqual((await ctx.page(`/accounts/${parent.id}/users`)).ids, [user.id])
      assert.deepEqual((await ctx.page(`/accounts/${other.id}/users`)).ids, [])
    }
  },
  {
    rule: 'USR-1',
    title: 'a User of an Account that does not exist is refused',
    run: async ctx => {
      await ctx.post(`/accounts/${(await ctx.account()).id}/users`, ctx.userFields())
      const nobody = `/accounts/no-such-account-${ctx.unique()}/users`
      ctx.refused(await ctx.call(`POST ${nobody}`, { body: ctx.userFields() }))
      ctx.refused(await ctx.call(`GET ${nobody}`))
    }
  },
  {
    rule: 'USR-1',
    title: 'a User is not deleted through another Account',
    run: async ctx => {
      const [parent, other] = [await ctx.account(), await ctx.account()]
      const user = await ctx.user(parent.id)
      ctx.refused(await ctx.call(`DELETE /accounts/${other.id}/users/${user.id}`))
      assert.deepEqual((await ctx.page(`/accounts/${parent.id}/users`)).ids, [user.id])
    }
  },
  ofUsers('USR-2', 'name'),
  ofUsers('USR-3', 'email'),
  {
    rule: 'USR-3',
    title: 'an email that is no address is refused',
    run: async ctx => {
      const { id } = await ctx.account()
      const sent = ctx.userFields()
      const user = await ctx.post(`/accounts/${id}/users`, sent)
      assert.deepEqual([user.name, user.email], [sent.name, sent.email])
      for (const email of ['ana', 'ana@', '@example.com', 'ana example.com']) {
        ctx.refused(await ctx.call(`POST /accounts/${id}/users`, { body: ctx.userFields({ email }) }))
      }
      assert.deepEqual((await ctx.page(`/accounts/${id}/users`)).ids, [user.id])
    }
  },
  {
    rule: 'USR-4',
    title: 'a delete answers 204 with an empty body, and the User is gone',
    run: async ctx => {
      const { id } = await ctx.account()
      const [gone, stays] = [await ctx.user(id), await ctx.user(id)]
      const answer = await ctx.call(`DELETE /accounts/${id}/users/${gone.id}`)
      assert.deepEqual([answer.status, answer.text], [204, ''])
      assert.deepEqual((await ctx.page(`/accounts/${id}/users`)).ids, [stays.id])
    }
  }
]
