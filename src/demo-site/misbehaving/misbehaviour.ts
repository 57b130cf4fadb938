// A row of the misbehaving part: where it is, what it does wrong, and the tools the rows share.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Html, html } from '../html.ts'
import { page, type Reply, type Route, type TakeOver } from '../route.ts'

export interface Misbehaviour extends Route {
  /** One sentence for the list of all of them. */
  says: string
  /** An address to try, where the path alone is none. */
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

/** Bytes straight to the socket, past everything Node does to keep a server honest. */
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
    // Cut only once the bytes are out, else the visitor may see nothing of them.
    else socket.write(bytes, () => socket.resetAndDestroy())
  }
}

/** Rejects when the visitor leaves. */
export async function pause(ms: number, gone: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: gone })
}
