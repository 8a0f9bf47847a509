/** A family as the API lists it, page by page: judged on a copy of the sandbox, so that journal and evidence do not change. */
import type { Cursors } from '../../../../reference/parameters.js'
import { go, hrefOf, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { CodeBlock } from '../../components/code.js'
import { ChoiceField, TextField } from '../../components/fields.js'
import { Grid } from '../../components/grid.js'
import { Empty, Read } from '../../components/states.js'
import { api, control, type Family } from '../../control/client.js'
import { type ListParameter, listAddress, listParameters, type OpenApi, pageIn, type Shapes } from './list-parameters.js'
import { nameOf } from './records.js'

const OWN = ['as', 'account']

export const ApiList = ({ family }: { family: Family }) => (
  <Read from={() => Promise.all([control('GET /openapi.json') as Promise<OpenApi>, api.keys(), api.settings()])} by={family}>
    {([openApi, { data: keys }, { settings }]) => {
      const cursors = settings['pagination.cursors']?.value as Cursors
      const shapes = { list: settings['shapes.list']?.value, error: settings['shapes.error']?.value }
      return (
        <Listing family={family} cursors={cursors} shapes={shapes} parameters={listParameters(openApi, family, cursors)} account={keys[0]?.account ?? ''} />
      )
    }}
  </Read>
)

const without = (query: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))

type Listed = { family: Family; cursors: Cursors; shapes: Shapes; parameters: readonly ListParameter[]; account: string }

function Listing({ family, cursors, shapes, parameters, account }: Listed) {
  const { query } = route.value
  const owner = query.account ?? account
  const [after, before] = cursors
  const path = listAddress(family, owner, without(query, OWN))
  const targetOf = (change: Readonly<Record<string, string>>) => ({ path: [family], query: { ...without(query, cursors), ...change } })
  const set = (name: string) => (value: string) => go(targetOf({ [name]: value }), { replace: true })
  return (
    <div class="stack">
      <div class="fields">
        {family === 'users' && <TextField label="Account" value={owner} onChange={set('account')} />}
        {parameters.map(({ name, about, words }) => {
          const options = words && [['', 'any'] as const, ...words]
          return <ChoiceField key={name} label={name} hint={about} value={query[name] ?? ''} onChange={set(name)} options={options} />
        })}
      </div>
      <CodeBlock text={`GET ${path}`} label="Request" />
      <Read from={() => api.explain({ method: 'GET', path })} by={path}>
        {({ answer, status }) => {
          const { data, has_more, first_id, last_id, message } = pageIn(answer, shapes)
          if (status >= 400) return <Empty title={`${status}: ${message}`} />
          const isFirst = first_id === null || query[after] === undefined
          return (
            <>
              <p class="row pages">
                <Button text="Previous page" disabled={isFirst} run={() => go(targetOf({ [before]: first_id as string }))} />
                <Button text="Next page" disabled={!has_more || last_id === null} run={() => go(targetOf({ [after]: last_id as string }))} />
                <span role="status">{`${data.length} on this page, has_more ${has_more}`}</span>
              </p>
              <div class="api-rows">
                <Grid
                  label={`${family} as the API lists them`}
                  columns={[
                    { title: 'Id', width: 'minmax(7rem, 16rem)', cell: ({ id }) => id },
                    { title: 'Summary', width: 'minmax(7rem, 1fr)', cell: nameOf },
                    { title: 'Created', width: '14.5rem', from: 560, cell: ({ created }) => created }
                  ]}
                  rows={data}
                  keyOf={({ id }) => id}
                  hrefOf={({ id }) => hrefOf({ path: [family, id] })}
                  onChoose={({ id }) => go({ path: [family, id] })}
                  empty={
                    <Empty title="Nothing on this page.">
                      {has_more && <p>search_query filters a page after it is read, so the next page can have more.</p>}
                    </Empty>
                  }
                />
              </div>
            </>
          )
        }}
      </Read>
      <p class="hint">
        The request is made on a copy that is thrown away: it is not in the journal and does not count as evidence.{' '}
        <a href={hrefOf({ path: [family] })}>All records</a>
      </p>
    </div>
  )
}
