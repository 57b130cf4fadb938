// Tests retention that an operator requests: other components are notified of deleted jobs.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { settingsSchema } from '../../config/settings.ts'
import { jobSpec } from '../../model/job.ts'
import type { Sealer } from '../../ports/secrets.ts'
import { withDataDirectory } from '../data-directory.ts'
import { serviceRetention } from './service-retention.ts'

test('when retention deletes a job, other processes are notified, so that they drop cached responses about it', async () => {
  const path = await mkdtemp(join(tmpdir(), 'kscrape-retention-'))
  try {
    await withDataDirectory(path, 'test', async data => {
      const spec = jobSpec.parse({ urls: ['https://a.example/'], retention: { jobMs: 1 } })
      const ingest = { source: null, rows: 0, rejected: 0, duplicates: 0, done: true }
      await data.store.jobs.create({ id: 'old', kind: 'list', spec, ingest, createdAt: 1 } as never, [])
      for (const [from, to] of [
        ['pending', 'running'],
        ['running', 'finishing'],
        ['finishing', 'completed'],
      ] as const)
        assert.ok(await data.store.jobs.move('old', [from], to, { at: 2 }), to)
      const heard: unknown[] = []
      const engine = {
        ...{ data, hosts: { refresh: async () => {} }, sealer: {} as Sealer },
        emit: (name: string, event: unknown) => void heard.push([name, event]),
      }
      await serviceRetention(engine, settingsSchema.parse({})).deleteExpired({
        dryRun: false,
        compact: false,
      })
      assert.equal(await data.store.jobs.get('old'), null)
      assert.deepEqual(heard, [['job.deleted', { jobId: 'old' }]])
    })
  } finally {
    await rm(path, { recursive: true })
  }
})
