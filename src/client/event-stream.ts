// Reads server-sent events.
import { camel, mapKeys } from '../model/letter-case.ts'
import type { Connection } from './connection.ts'

interface ServerEvent {
  event: string
  data: string
}

/** Yields events in camelCase until the stream ends. */
export async function* eventsOf<Event>(
  connection: Connection,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<Event> {
  const response = await connection.send(path, { headers: { accept: 'text/event-stream' }, signal })
  for await (const { event, data } of serverEvents(response))
    yield { event, data: mapKeys(JSON.parse(data), camel) } as Event
}

async function* serverEvents(response: Response): AsyncGenerator<ServerEvent> {
  let rest = ''
  for await (const text of textOf(response)) {
    const blocks = (rest + text).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventIn(block)
      if (event) yield event
    }
  }
}

/** Reads the stream with a reader, because not every browser supports `for await` over a stream. */
async function* textOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read())
      yield decoder.decode(step.value, { stream: true })
  } finally {
    // Closes the connection, so that the service stops sending events.
    await reader.cancel().catch(() => {})
  }
}

/** One event; null for comments, which only keep the connection alive. */
function eventIn(block: string): ServerEvent | null {
  const values = (name: string) =>
    block
      .split(/\r?\n/)
      .filter(line => line.startsWith(`${name}:`))
      .map(line => line.slice(name.length + 1).replace(/^ /, ''))
  const data = values('data')
  return data.length === 0 ? null : { event: values('event').at(-1) ?? 'message', data: data.join('\n') }
}
