// One misbehaving page: its path, its description, and helpers that these pages share.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Html, html } from '../html.ts'
import { page, type Reply, type Route, type TakeOver } from '../route.ts'

export interface Misbehaviour extends Route {
  /** One sentence for the list. */
  says: string
  /** A URL to try, if the path alone is not one. */
  try?: string
}

/** A page without the shop's navigation: from a trap no link leads out. */
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

/** Writes bytes directly to the socket, without Node's checks of HTTP. */
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
    // Cut only after the bytes are sent, or the visitor may not get them.
    else socket.write(bytes, () => socket.resetAndDestroy())
  }
}

/** Rejects when the visitor leaves. */
export async function pause(ms: number, gone: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: gone })
}
