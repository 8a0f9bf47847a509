/**
 * A family as the API lists it, page by page: judged on a copy of the sandbox, so that journal and
 * evidence do not change.
 */
import type { Cursors } from '../../../../reference/parameters.js'
import { go, hrefOf, route } from '../../app/route.js'
import { Button } from '../../components/button.js'
import { CodeBlock } from '../../components/code.js'
import { Field } from '../../components/fields.js'
import { Grid } from '../../components/grid.js'
import { Empty, Read } from '../../components/states.js'
import { control, type Family } from '../../control/client.js'
import { listAddress, listParameters, type OpenApi, pageIn } from './list-parameters.js'
import { nameOf } from './records.js'

type Query = Readonly<Record<string, string>>
const without = (query: Query, names: readonly string[]): Query =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))

async function read() {
  const [openApi, { data: keys }, { settings }] = await Promise.all([
    control('GET /openapi.json') as Promise<OpenApi>,
    control('GET /keys'),
    control('GET /settings')
  ])
  return {
    openApi,
    account: keys[0]?.account ?? '',
    settings,
    cursors: settings['pagination.cursors']?.value as Cursors
  }
}

export const ApiList = ({ family }: { family: Family }) => (
  <Read from={read}>{read => <Listing family={family} {...read} />}</Read>
)

function Listing({
  family,
  openApi,
  account,
  settings,
  cursors
}: Awaited<ReturnType<typeof read>> & { family: Family }) {
  const { query } = route.value
  const owner = query.account ?? account
  const [after, before] = cursors
  const path = listAddress(family, owner, without(query, ['as', 'account']))
  const targetOf = (change: Query) => ({
    path: [family],
    query: { ...without(query, cursors), ...change }
  })
  const set = (name: string) => (value: string) =>
    go(targetOf({ [name]: value }), { replace: true })
  return (
    <div class="stack">
      <div class="fields">
        {family === 'users' && <Field label="Account" value={owner} onChange={set('account')} />}
        {listParameters(openApi, family, cursors).map(({ name, about, words }) => (
          <Field
            key={name}
            label={name}
            hint={about}
            value={query[name] ?? ''}
            onChange={set(name)}
            options={words && [['', 'any'], ...words]}
          />
        ))}
      </div>
      <CodeBlock text={`GET ${path}`} label="Request" />
      <Read from={() => control('POST /explain', { body: { method: 'GET', path } })} by={path}>
        {({ answer, status }) => {
          const { data, has_more, first_id, last_id, message } = pageIn(answer, settings)
          if (status >= 400) return <Empty title={`${status}: ${message}`} />
          const isFirst = first_id === null || query[after] === undefined
          return (
            <>
              <p class="row">
                <Button
                  text="Previous page"
                  disabled={isFirst}
                  run={() => go(targetOf({ [before]: first_id as string }))}
                />
                <Button
                  text="Next page"
                  disabled={!has_more || last_id === null}
                  run={() => go(targetOf({ [after]: last_id as string }))}
                />
                <span role="status">{`${data.length} on this page, has_more ${has_more}`}</span>
              </p>
              <div class="api-rows">
                <Grid
                  label={`${family} as the API lists them`}
                  columns={[
                    { title: 'Id', width: 'minmax(7rem, 16rem)', cell: ({ id }) => id },
                    { title: 'Summary', width: 'minmax(7rem, 1fr)', cell: nameOf },
                    {
                      title: 'Created',
                      width: '14.5rem',
                      from: 560,
                      cell: ({ created }) => created
                    }
                  ]}
                  rows={data}
                  keyOf={({ id }) => id}
                  hrefOf={({ id }) => hrefOf({ path: [family, id] })}
                  onChoose={({ id }) => go({ path: [family, id] })}
                  empty={
                    <Empty title="Nothing on this page.">
                      {has_more && (
                        <p>
                          search_query filters a page after it is read, so the next page can have
                          more.
                        </p>
                      )}
                    </Empty>
                  }
                />
              </div>
            </>
          )
        }}
      </Read>
      <p class="hint">
        The request is made on a copy that is thrown away: it is not in the journal and does not
        count as evidence. <a href={hrefOf({ path: [family] })}>All records</a>
      </p>
    </div>
  )
}
