// Where it begins: the one element of the page, and what is shown in it.
import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme, followSystem } from './theme.ts'
import './styles/index.css'

applyTheme()
followSystem()
render(<App />, document.getElementById('app')!)
