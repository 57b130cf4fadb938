// Tests the dashboard of `make dev`: Vite serves its source, and forwards all other requests to a demo service.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer } from 'vite'
import { TestService } from '../support/service.ts'

const root = join(import.meta.dirname, '../../dashboard')

test('the dashboard that `make dev` starts can change data of the service, and other sites cannot', async () => {
  await using service = await TestService.open({ isDemo: true, settings: { apiKey: undefined } })
  process.env.PORT = new URL(service.url).port
  const vite = await createServer({
    ...{ root, configFile: join(root, 'vite.config.ts'), logLevel: 'error' },
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
  })
  try {
    await vite.listen()
    const { port } = vite.httpServer!.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    const submit = async (from: string) => {
      const body = JSON.stringify({ scraper_id: 'example-mock', items: [{ input: { test_param: 'x' } }] })
      const headers = { 'content-type': 'application/json', origin: from }
      return (await fetch(`${origin}/jobs`, { method: 'POST', headers, body })).status
    }
    assert.equal(await submit(origin), 202)
    assert.equal(await submit('http://evil.example'), 403)
    const source = await fetch(`${origin}/src/main.tsx`)
    assert.match(source.headers.get('content-type') ?? '', /javascript/)
    for (const path of ['/browsers', '/health', '/me'])
      assert.match((await fetch(`${origin}${path}`)).headers.get('content-type') ?? '', /json/, path)
  } finally {
    await vite.close()
  }
})
