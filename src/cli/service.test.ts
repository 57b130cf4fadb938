// Tests which flags apply only to this machine, so that they cannot be passed to a service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseLocalFlags, serviceFor, serviceNeeded } from './service.ts'

test('with --server, flags that concern only this machine are refused, and the error names the flag', () => {
  assert.throws(() => refuseLocalFlags({ allowPrivate: ['10.0.0.1'] }), {
    code: 'input.invalid',
    message: /--allow-private/,
  })
  assert.throws(() => refuseLocalFlags({ proxy: ['http://p:1'] } as never), {
    code: 'input.invalid',
    message: /--proxy/,
  })
  assert.throws(() => refuseLocalFlags({ cookies: 'c.txt' }), { code: 'input.invalid', message: /--cookies/ })
  refuseLocalFlags({ header: ['a: b'], retries: 1 })
})

test('giving both a service and a data directory is refused', async () => {
  const flags = { server: 'http://127.0.0.1:1', dataDir: '/tmp/x' }
  await assert.rejects(serviceFor(flags), { code: 'input.invalid', message: /--server.*--data-dir/ })
})

test('--data-dir has precedence over SCRAPER_SERVER', async () => {
  assert.equal(await serviceFor({ dataDir: '/tmp/x' }), null)
  await assert.rejects(serviceNeeded({ dataDir: '/tmp/x' }, 'hosts'), {
    code: 'input.invalid',
    message: /^hosts/,
  })
  assert.equal((await serviceFor({ server: 'http://127.0.0.1:1' }))?.server, 'http://127.0.0.1:1')
})
