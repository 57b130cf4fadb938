// Seed 002 (an earlier specification): tests one service key for many workspaces. The field workspace_id of a
// request names its workspace.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ScrapeApi, type ShownTask } from '../support/scrape-api.ts'

describe('one service key for many workspaces', () => {
  let api: ScrapeApi
  before(async () => {
    api = await ScrapeApi.open({ settings: { queueDepth: 2, pii: 'keep,acme=mask' } })
    api.site.serve('/who', '<title>Who</title><p>Write to hello@kestrel.example, please.</p>')
  })
  after(() => api?.[Symbol.asyncDispose]())

  const sync = (key: string | undefined, workspace_id?: string) =>
    api.ask<ShownTask>('/sync', {
      body: { url: `${api.site.url}/who`, target_type: 'page', ...(workspace_id && { workspace_id }) },
      ...(key !== undefined && { key }),
    })
  const keyFor = (wanted: Record<string, unknown>) =>
    api.service.key({ scopes: ['read', 'submit'], ...wanted })

  test('a key for all workspaces acts for the workspace in the body, with the defaults of this workspace', async () => {
    const key = await keyFor({ workspaces: ['*'] })
    const acme = await sync(key, 'acme')
    const other = await sync(key, 'other')
    assert.deepEqual([acme.status, other.status], [200, 200])
    assert.ok(!acme.text.includes('hello@kestrel.example'))
    assert.ok(other.text.includes('hello@kestrel.example'))

    const { task_id, job_id } = acme.body.data
    assert.equal((await api.ask(`/${task_id}`, { key })).status, 200)
    assert.equal((await api.ask(`/jobs/${job_id}/results`, { key })).status, 200)
    // The job belongs to the workspace in the body, and to no other.
    const own = await keyFor({ workspace: 'acme' })
    const stranger = await keyFor({ workspace: 'other' })
    assert.equal((await api.ask(`/${task_id}`, { key: own })).status, 200)
    assert.equal((await api.ask(`/${task_id}`, { key: stranger })).status, 404)
  })

  test('the operator’s service key acts for every workspace', async () => {
    assert.equal((await sync(undefined, 'shop')).status, 200)
  })

  test('a key for certain workspaces is refused for others, both in the body and in the header', async () => {
    const key = await keyFor({ workspaces: ['acme'] })
    assert.equal((await sync(key, 'acme')).status, 200)
    const refused = await sync(key, 'other')
    assert.equal(refused.status, 403)
    assert.match(refused.body.error?.message ?? '', /workspace_id: your key may not act for .*"other"/)
    const listed = await api.service.ask('/jobs', { key, headers: { 'x-workspace-id': 'other' } })
    assert.equal(listed.status, 403)
  })

  test('X-Workspace-ID chooses the workspace on every route', async () => {
    const key = await keyFor({ workspaces: ['*'] })
    const jobsIn = async (workspace: string) => {
      const headers = { 'x-workspace-id': workspace }
      return (await api.service.ask<{ jobs: unknown[] }>('/jobs', { key, headers })).body.jobs.length
    }
    const before = await jobsIn('fresh')
    await sync(key, 'fresh')
    assert.deepEqual([before, await jobsIn('fresh')], [0, 1])
  })

  test('a full queue of one workspace does not affect the others', async () => {
    const key = await keyFor({ workspaces: ['*'] })
    const target = { url: `${api.site.url}/slow/headers`, target_type: 'page' }
    const batch = (workspace_id: string) =>
      api.ask('/batch', { key, body: { workspace_id, targets: [target, target] } })
    assert.equal((await batch('full')).status, 202)
    assert.equal((await batch('full')).status, 429)
    assert.equal((await batch('free')).status, 202)
  })

  test('a key cannot create a key that has more rights than itself', async () => {
    const admin = await api.service.key({ workspace: 'acme', scopes: ['admin'] })
    const asked = await api.service.ask('/keys', {
      key: admin,
      body: { workspace: 'acme', scopes: ['read'], workspaces: ['*'] },
    })
    assert.equal(asked.status, 403)
  })
})
