// All misbehaving pages, and the page that lists them. No other page links to them, so only a client that knows the path gets
// them.
import { html } from '../html.ts'
import { page, type Route } from '../route.ts'
import { bodies } from './bodies.ts'
import { charsets } from './charsets.ts'
import { encodings } from './encodings.ts'
import { failing } from './failing.ts'
import { hostileScripts } from './hostile-scripts.ts'
import type { Misbehaviour } from './misbehaviour.ts'
import { redirects } from './redirects.ts'
import { allTraps } from './traps.ts'
import { walls } from './walls.ts'

export { charsetPages } from './charsets.ts'

export function misbehavingRoutes(): Route[] {
  const families: Record<string, Misbehaviour[]> = {
    Redirects: redirects,
    'Servers in trouble': failing,
    Bodies: bodies,
    Encodings: encodings(),
    'Charsets and types': charsets,
    Traps: allTraps(),
    Walls: walls,
    'Hard on a browser': hostileScripts,
  }
  const index = page(listOf(families))
  return [{ path: '/misbehaving/', answer: () => index }, ...Object.values(families).flat()]
}

function listOf(families: Record<string, Misbehaviour[]>) {
  const sections = Object.entries(families).map(
    ([name, rows]) => html`<h2>${name}</h2>
<dl>${rows.map(row => html`<dt><a href="${row.try ?? row.path}">${row.try ?? row.path}</a></dt><dd>${row.says}</dd>`)}</dl>`,
  )
  return html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Misbehaving</title></head>
<body><h1>What this site can do wrong</h1>
${sections}</body></html>
`
}
