/** The API keys, and making one for an Account. */
import { useSignal } from '@preact/signals'
import { act } from '../../app/command.js'
import { hrefOf } from '../../app/route.js'
import { Button, Field } from '../../components/controls.js'
import { Card, Read, Table } from '../../components/layout.js'
import { linked } from '../../components/links.js'
import { copy } from '../../components/toast.js'
import { control } from '../../control/client.js'

const cellsOf = ({ key, account }: { key: string; account: string }) => [
  <code key="key">{key}</code>,
  linked(account, hrefOf({ path: ['accounts', account] })),
  <Button key="copy" class="small" text="Copy" label={`Copy ${key}`} run={() => copy(key, 'key')} />
]

export function Keys() {
  const chosen = useSignal('')
  const make = (account: string) =>
    act(control('POST /keys', { body: { account } }), ({ key }) => `${key} acts as ${account}`)
  return (
    <Read from={() => Promise.all([control('GET /keys'), control('GET /state')])}>
      {([{ data }, { accounts }]) => {
        const account = chosen.value || (accounts[0]?.id ?? '')
        return (
          <Card id="keys" title="API keys">
            <Table heads={['Key', 'Acts as', '']} rows={data.map(cellsOf)} />
            {accounts.length > 0 && (
              <div class="row aligned">
                <Field
                  label="A new key that acts as"
                  value={account}
                  options={accounts.map(({ id, name }) => [id, `${id}, ${name}`])}
                  onChange={id => (chosen.value = id)}
                />
                <Button class="primary" text="Create key" run={() => make(account)} />
              </div>
            )}
          </Card>
        )
      }}
    </Read>
  )
}
