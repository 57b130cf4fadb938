// Tests that every route in docs/other-apis.md answers as the page says.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { awake } from '../support/awake.ts'
import { operatorKey, TestService } from '../support/service.ts'

type Says = 'yes' | 'refused' | 'other' | 'no'

interface Route {
  service: string
  method: string
  path: string
  says: Says
}

function listedRoutes(): Route[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/other-apis.md'), 'utf8')
  return page
    .split(/^## /m)
    .slice(1)
    .flatMap(section =>
      [...section.matchAll(/^\| (`[A-Z]+ \/.*?) \| (\w+) \|/gm)].flatMap(([, routes, says]) =>
        [...routes!.matchAll(/`([A-Z]+) (\/[^`]*)`/g)].map(([, method, path]) => ({
          ...{ service: section.split('\n', 1)[0]!, method: method!, path: path!, says: says as Says },
        })),
      ),
    )
}

let service: TestService
before(async () => {
  service = await TestService.open({ settings: { rate: 'unlimited' } })
  await awake(service)
})
after(() => service?.[Symbol.asyncDispose]())

const routes = listedRoutes()
const known = '00000000-0000-4000-8000-000000000000'

/** Returns the status, and whether a route exists for the path. The requests have no useful body, so the route refuses them. */
async function answerOf({ method, path }: Route): Promise<{ status: number; isRouted: boolean }> {
  const filled = path.replaceAll(/\{\w+\}/g, known)
  if (method === 'WS') return socketAnswer(filled)
  const hasBody = !['GET', 'HEAD'].includes(method)
  const response = await fetch(`${service.url}${filled}`, {
    method,
    headers: {
      authorization: `Bearer ${operatorKey}`,
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    ...(hasBody && { body: '{}' }),
  })
  const { status } = response
  const text = await response.text()
  // A 404 of a HEAD request has no text, so it counts as a missing route.
  const isUnknown = status === 405 || (status === 404 && /there is nothing at|^$/.test(text))
  return { status, isRouted: !isUnknown }
}

/** Connects with a wrong key: a route refuses it with 401 before it starts anything. */
async function socketAnswer(path: string): Promise<{ status: number; isRouted: boolean }> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}${path}?token=wrong`)
  socket.on('error', () => {})
  const refused = once(socket, 'unexpected-response').then(([, response]) => response.statusCode as number)
  const opened = once(socket, 'open').then(async () => {
    const [code] = await once(socket, 'close')
    return code as number
  })
  const status = await Promise.race([refused, opened])
  socket.terminate()
  return { status, isRouted: status !== 404 }
}

test('docs/other-apis.md lists the routes of all three services', () => {
  const counts = Map.groupBy(routes, ({ service: name }) => name)
  assert.deepEqual([...counts.keys()], ['Browserless', 'Steel', 'Firecrawl'])
  for (const list of counts.values()) assert.ok(list.length > 40)
})

for (const [name, list] of Map.groupBy(routes, route => route.service))
  describe(name, () => {
    for (const route of list)
      test(`the service handles ${route.method} ${route.path} as docs/other-apis.md says: ${route.says}`, async () => {
        const { status, isRouted } = await answerOf(route)
        assert.equal(isRouted, route.says !== 'no', `status ${status}`)
        if (route.says === 'refused') assert.equal(status, 403)
        else assert.notEqual(status, 403)
        assert.ok(status < 500 || status > 1_000, `status ${status}`)
      })
  })
