// A job of another workspace names a secret of this machine in its actions. The test submits it to the engine directly, so the API
// does not check it. A real browser runs the actions, and the site logs what arrives.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { TestEngine } from '../support/engine.ts'
import { html, ListeningSite } from '../support/listening-site.ts'

const password = 'geheim-4711'

test('actions find secrets of this machine only in jobs of the workspace default', async () => {
  await using site = await ListeningSite.open({ '/': html('start') })
  await using engine = await TestEngine.open({ settings: { allowPrivate: [site.place], rate: 'unlimited' } })
  await writeFile(join(engine.folder, 'secrets.env'), `SHOP_PASSWORD=${password}\n`, { mode: 0o600 })
  const spec = (name: string) => ({
    urls: [`${site.url}/`],
    actions: [{ type: 'goto' as const, url: `${site.url}/${name}?{{ secret.SHOP_PASSWORD }}` }],
    policy: { host: { rate: 'unlimited' as const }, retries: { attempts: 0 } },
  })
  const other = await engine.submit(spec('other'), { origin: { workspace: 'other', face: 'jobs' } })
  await engine.submit(spec('own'))
  await engine.start()

  assert.deepEqual(
    site.holding([password]).map(({ path }) => path.split('?')[0]),
    ['/own'],
  )
  const [task] = await engine.tasks(other.id)
  assert.equal(task?.reason, 'secret.missing', task?.message ?? '')
})
