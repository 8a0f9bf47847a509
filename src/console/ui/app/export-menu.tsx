/** Everything that can be saved as a file. */
import { Icon } from '../components/icon.js'
import { Menu } from '../components/menu.js'
import { controlOf } from '../control/place.js'
import { shownIds } from '../views/requests/requests.js'
import { route } from './route.js'

export function ExportMenu() {
  const ids = route.value.view === 'requests' ? shownIds.value : undefined
  const requests = new URLSearchParams({ format: 'scenario', ...(ids && { ids }) })
  const files: readonly (readonly [text: string, path: string, name: string])[] = [
    [
      `Requests${ids ? ' that are shown' : ''} as a scenario`,
      `requests?${requests}`,
      'scenario.yaml'
    ],
    ['State as YAML', 'state?format=yaml', 'state.yaml'],
    ['State as JSON', 'state', 'state.json'],
    ['Report of the run, HTML', 'run?format=html', 'report.html'],
    ['Report of the run, JUnit', 'run?format=junit', 'report.xml']
  ]
  return (
    <Menu text="Export" icon="download">
      {files.map(([text, path, name]) => (
        <a key={text} class="button" href={`${controlOf()}/${path}`} download={name}>
          <Icon name="download" />
          {text}
        </a>
      ))}
    </Menu>
  )
}
