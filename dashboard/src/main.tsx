// The entry point: mounts the app into the page.
import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme, followSystem } from './theme.ts'
import './styles/index.css'

applyTheme()
followSystem()
render(<App />, document.getElementById('app')!)
