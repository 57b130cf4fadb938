// Two generated pages: the frame of the element picker, and the notice that the dashboard or the guide is not built.
import { createHash } from 'node:crypto'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Content-Security-Policy of the frame that shows untrusted markup. The frame has no origin (`sandbox` without
 *  `allow-same-origin`), runs one script by hash, and can send no requests. Files of the page are `data:` URLs that the
 *  service adds. */
export const pickerPolicy = (script: string): string =>
  [
    `default-src 'none'`,
    `script-src ${hashOf(script)}`,
    `img-src data:`,
    `font-src data:`,
    `form-action 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'self'`,
    `sandbox allow-scripts`,
  ].join('; ')

export const pickerPage = (script: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The page, to click in</title></head>
<body><script type="module">${script}</script></body>
</html>
`

const style =
  'body{font:1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}pre{background:#eee;color:#111;padding:1rem;border-radius:.5rem}'

export const missingPolicy = `default-src 'none'; style-src ${hashOf(style)}; frame-ancestors 'none'; base-uri 'none'`

/** A part that a build creates; also the name of its make target. */
type BuiltPart = 'dashboard' | 'guide'

export const missingPage = (what: BuiltPart): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The ${what} is not built</title><style>${style}</style></head>
<body>
<h1>The ${what} is not built</h1>
<p>The service runs, and its API is available: <a href="/openapi.json">/openapi.json</a>. In a checkout, build the ${what} with</p>
<pre>make ${what}</pre>
<p>and reload this page. No restart is needed. The published package contains the built ${what}.</p>
</body>
</html>
`
