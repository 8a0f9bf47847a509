/** Data: the records of every family, their links, and the fixtures that make them. */
import { useResource } from '../../app/resource.js'
import { Json } from '../../components/code.js'
import { Loaded } from '../../components/states.js'
import { api } from '../../control/client.js'
import type { View } from '../view.js'
import './data.css'

function Page() {
  const resource = useResource(api.overview)
  return (
    <section class="page">
      <h1>Data</h1>
      <Loaded resource={resource}>{data => <Json value={data} label="Data" />}</Loaded>
    </section>
  )
}

export const view: View = { Page }
