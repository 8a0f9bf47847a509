/** The console: what the control API returns, in a browser. */
import './styles/tokens.css'
import './styles/base.css'
import './styles/components.css'
import { render } from 'preact'
import { Shell } from './app/shell.js'
import { begin } from './app/store.js'

const app = document.getElementById('app')
if (app) render(<Shell />, app)
void begin()
