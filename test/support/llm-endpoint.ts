// A language model endpoint on loopback: it uses the chat protocol, gives the answers of the test, and logs the requests.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wholeBody } from './whole-body.ts'

export interface AskedOfModel {
  headers: Record<string, unknown>
  body: {
    model: string
    messages: Array<{ role: string; content: string }>
    response_format: { type: string; json_schema: { schema: { properties: Record<string, unknown> } } }
    [key: string]: unknown
  }
  /** The fields that the request asks for. */
  fields: string[]
  /** All messages sent to the model. */
  prompt: string
}

/** The answer of the model: an object is the answer itself, a number is an error status, and a string is the raw message. */
export type Reply = object | number | string

export interface LlmEndpoint extends AsyncDisposable {
  baseUrl: string
  asked: AskedOfModel[]
}

export async function startLlmEndpoint(
  reply: (asked: AskedOfModel, count: number) => Reply,
  tokens = 100,
): Promise<LlmEndpoint> {
  const asked: AskedOfModel[] = []
  const server = createServer(async (request, response) => {
    const sent = await wholeBody(request)
    // The client has disconnected.
    if (sent === null) return
    const body = JSON.parse(sent) as AskedOfModel['body']
    const one: AskedOfModel = {
      headers: request.headers,
      body,
      fields: Object.keys(body.response_format.json_schema.schema.properties),
      prompt: body.messages.map(message => message.content).join('\n'),
    }
    asked.push(one)
    const said = reply(one, asked.length)
    if (typeof said === 'number') {
      const error = { error: { message: `refused for ${request.headers.authorization}` } }
      return void response.writeHead(said, { 'retry-after': '0' }).end(JSON.stringify(error))
    }
    const content = typeof said === 'string' ? said : JSON.stringify(said)
    const answer = { choices: [{ message: { role: 'assistant', content } }], usage: { total_tokens: tokens } }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
