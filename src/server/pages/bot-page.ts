// GET /bot: the page for site owners, which the user agent links to.
import { escapeHtml } from '../../lib/text/escape-html.ts'
import type { App } from '../app.ts'
import type { Server } from '../parts.ts'

const policy = `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

export function addBotPage(app: App, { settings }: Pick<Server, 'settings'>): void {
  app.get('/bot', { config: { scope: 'open' }, schema: { hide: true } as never }, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .send(botPage(settings.contact, productOf(settings.userAgent))),
  )
}

/** The product name in the user agent, which robots.txt rules refer to. */
const productOf = (userAgent: string | undefined): string => userAgent?.split(/[/\s]/)[0] || 'kscrape'

export function botPage(contact: string | undefined, product: string): string {
  const name = escapeHtml(product)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>About ${name}</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}code,pre{font-family:ui-monospace,monospace}</style>
</head><body>
<h1>About ${name}</h1>
<p>You found this address in the log of your server: our crawler <code>${name}</code> visited your site.</p>
<p>It reads <code>robots.txt</code>, sends about one request per second to a site unless its operator set another rate, and slows down if your
server answers 429 or 503.</p>
<h2>Keep it away</h2>
<p>Add this to <code>robots.txt</code>. It takes effect within a day.</p>
<pre>User-agent: ${name}
Disallow: /</pre>
<p><code>Crawl-delay: 10</code> makes it slower instead.</p>
<h2>Contact</h2>
<p>${contactText(contact)}</p>
</body></html>
`
}

function contactText(contact: string | undefined): string {
  if (contact === undefined) return 'The operator of this crawler named no contact.'
  const text = escapeHtml(contact)
  if (/^https?:\/\//i.test(contact)) return `<a href="${text}" rel="nofollow">${text}</a>`
  return /^[^\s@]+@[^\s@]+$/.test(contact) ? `<a href="mailto:${text}">${text}</a>` : text
}
