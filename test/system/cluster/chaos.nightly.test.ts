// Kills the process again and again, at random and at named points, and checks that no work is lost or duplicated.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { seeded } from '../../../src/demo-site/random.ts'
import { checkEnd, checkStore, crawlUntilDone, flags } from '../../chaos/embedded.ts'
import { startTestSite } from '../../site/index.ts'
import { testSeed } from '../../support/seed.ts'
import { Workplace } from '../run-cli.ts'

const rounds = 20

const killPoints = [
  'dispatch.after_claim:1',
  'dispatch.after_claim:3',
  'worker.after_store_before_commit:1',
  'worker.after_store_before_commit:3',
  'worker.after_commit:1',
  'worker.after_commit:4',
  'coord.mid_finalize:1',
  'coord.after_manifest_before_status:1',
] as const

for (const point of killPoints) {
  test(`a crawl that is killed at ${point} can be resumed, and has each record once`, async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open({ warm: false })
    await checkEnd(place, await crawlUntilDone(place, site, [{ env: { KILLPOINT: point } }]))
  })
}

for (const point of ['ingest.mid_batch:1', 'ingest.mid_batch:2']) {
  test(`a list that is killed at ${point} continues where it stopped, and has each row once`, async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open({ warm: false })
    const rows = Array.from({ length: 900 }, (_, n) => `${site.url}/leaf/${n}`)
    await writeFile(place.file('urls.txt'), rows.join('\n'))
    const list = ['run', 'urls.txt', ...flags(site), '-o', 'out.jsonl', '--job', 'chaos']
    assert.equal((await place.run(list, { env: { KILLPOINT: point } })).signal, 'SIGKILL')

    const { code, stderr } = await place.run(['jobs', 'resume', 'chaos', ...flags(site)])

    assert.equal(code, 0, stderr)
    const records = await place.records('out.jsonl')
    assert.deepEqual(records.map(record => record._page.url as string).sort(), rows.sort())
    checkStore(place)
  })
}

test(`${rounds} kills at random moments lose nothing and duplicate nothing`, async () => {
  const chance = seeded(testSeed)
  await using site = await startTestSite()
  let left = rounds
  while (left > 0) {
    await using place = await Workplace.open({ warm: false })
    // At most four kills per job: after five kills with the same task in flight, kscrape rightly fails the task as poison.
    const kills = Array.from({ length: Math.min(4, left) }, () => ({
      afterMs: 250 + chance.fraction() * 900,
    }))
    left -= kills.length
    const ended = await crawlUntilDone(place, site, kills)
    await checkEnd(place, ended).catch(error => {
      throw new Error(`seed ${testSeed}, kills ${JSON.stringify(kills)}: ${(error as Error).message}`, {
        cause: error,
      })
    })
  }
})
