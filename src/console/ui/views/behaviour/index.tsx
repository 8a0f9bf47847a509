/** Behaviour: the scenario, its variables, snapshots, the clock, script entries, gates and settings. */
import { useResource } from '../../app/resource.js'
import { Json } from '../../components/code.js'
import { Loaded } from '../../components/states.js'
import { api } from '../../control/client.js'
import type { View } from '../view.js'
import './behaviour.css'

function Page() {
  const resource = useResource(api.overview)
  return (
    <section class="page">
      <h1>Behaviour</h1>
      <Loaded resource={resource}>{data => <Json value={data} label="Behaviour" />}</Loaded>
    </section>
  )
}

export const view: View = { Page }
