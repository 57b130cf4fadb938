// The page for unknown paths.
import { html } from '../html.ts'
import { layout } from '../layout.ts'
import { page, type Reply, type Visit } from '../route.ts'

export function notFound(visit: Visit): Reply {
  const main = html`<h1>Not found</h1><p>There is no page at <code>${visit.url.pathname}</code>. <a href="/">Home</a></p>`
  return page(
    layout(visit, { title: 'Not found', description: 'Nothing here.', canonical: visit.url.pathname, main }),
    404,
  )
}
