// One misbehaving page: its path, its description, and helpers that these pages share.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Html, html } from '../html.ts'
import { page, type Reply, type Route, type TakeOver } from '../route.ts'

export interface Misbehaviour extends Route {
  /** One sentence for the list of misbehaving pages. */
  says: string
  /** A URL to try, if the path alone is not a valid URL. */
  try?: string
}

/** A page without the shop's navigation, so that no link leads out of a trap. */
export function bare(title: string, content: Html = html``, status = 200): Reply {
  return page(
    html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1>
${content}</body></html>
`,
    status,
  )
}

export function linkList(paths: readonly string[]): Html {
  return html`<ul>${paths.map(path => html`<li><a href="${path}">${path}</a></li>`)}</ul>`
}

/** Writes bytes directly to the socket, without Node's HTTP checks. */
export function raw(
  head: readonly string[],
  body: string | Uint8Array = '',
  ending: 'end' | 'reset' = 'end',
): TakeOver {
  return response => {
    const socket = response.socket
    if (!socket) return
    const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
    if (ending === 'end') socket.end(bytes)
    // Reset the connection only after the bytes are sent. Otherwise the client may not get them.
    else socket.write(bytes, () => socket.resetAndDestroy())
  }
}

/** Waits. Rejects if the client disconnects meanwhile. */
export async function pause(ms: number, gone: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: gone })
}
