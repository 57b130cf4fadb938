// Tests which files of a service's job are artifacts, and their local paths.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Client } from '../../client.ts'
import { taskId } from '../../model/ids.ts'
import { artifactsOf, fetchInto } from './service-artifacts.ts'

const found = { taskId: taskId('job-1', 7), itemId: 'tea', url: 'https://a.example/', name: 'screenshot' }

test('the standard files of an item are not artifacts', async () => {
  const jobs = {
    async *items() {
      yield { itemId: 'tea', taskId: found.taskId, url: found.url }
    },
    item: async () => ({ artifacts: ['html', 'screenshot', 'data', 'metadata', 'pdf'] }),
  }
  const all = await Array.fromAsync(artifactsOf({ jobs } as unknown as Client, 'job-1'))
  assert.deepEqual(all, [found, { ...found, name: 'pdf' }])
})

test('a file goes into the folder of its task, whatever its name at the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-artifacts-'))
  try {
    const file = { fileName: '..page.png', stream: () => new Blob(['png']).stream() }
    const client = { jobs: { download: async () => file } } as unknown as Client
    assert.equal(await fetchInto(client, 'job-1', found, folder), 1)
    assert.equal(await readFile(join(folder, '7', '_page.png'), 'utf8'), 'png')
  } finally {
    await rm(folder, { recursive: true })
  }
})
