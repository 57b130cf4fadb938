// Tests how a page is compared with its last scrape, by URL and tag.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Blobs } from '../../../ports/blobs.ts'
import { noteScrape, trackChange } from './change-tracking.ts'
import type { ChangeTracking } from './options.ts'

function openTracking() {
  const kept = new Map<string, Buffer>()
  const blobs = {
    get: async (key: string) => kept.get(key) ?? null,
    put: async (key: string, bytes: Buffer) => void kept.set(key, bytes),
  } as unknown as Blobs
  let scrapes = 0
  const texts = new Map<string, string>()
  const textOf = async (scrape: string) => texts.get(scrape) ?? null
  const look = (
    markdown: string,
    change: { at?: number; tag?: string; json?: object; modes?: string[]; url?: string } = {},
  ) => {
    const wanted = { modes: change.modes ?? [], tag: change.tag ?? null } as ChangeTracking
    scrapes += 1
    const now = {
      scrape: `s${scrapes}`,
      at: change.at ?? scrapes,
      markdown,
      json: (change.json ?? null) as never,
    }
    texts.set(now.scrape, markdown)
    return trackChange(blobs, 'default', change.url ?? 'https://a.example/', wanted, now, textOf)
  }
  /** A scrape without changeTracking. */
  const plain = (markdown: string) => {
    scrapes += 1
    texts.set(`s${scrapes}`, markdown)
    const now = { scrape: `s${scrapes}`, at: scrapes, markdown, json: null }
    return noteScrape(blobs, 'default', 'https://a.example/', now)
  }
  const again = (markdown: string) => {
    scrapes -= 1
    return look(markdown)
  }
  return { kept, look, plain, again, texts }
}

test('a page is first reported as new, then as the same, then as changed', async () => {
  const { look } = openTracking()
  const said = [await look('one'), await look('one'), await look('two')]
  assert.deepEqual(
    said.map(({ changeStatus }) => changeStatus),
    ['new', 'same', 'changed'],
  )
  assert.deepEqual([said[0]?.previousScrapeAt, said[1]?.previousScrapeAt], [null, new Date(1).toISOString()])
})

test('each tag of change tracking has its own history', async () => {
  const { look } = openTracking()
  await look('one', { tag: 'daily' })
  assert.equal((await look('one', { tag: 'weekly' })).changeStatus, 'new')
})

test('a scrape without changeTracking is the baseline of the next scrape that tracks changes without a tag', async () => {
  const { look, plain, texts } = openTracking()
  const modes = ['git-diff']
  await plain('one')
  assert.equal((await look('one', { modes })).changeStatus, 'same')
  await plain('two')
  const { changeStatus, diff } = await look('three', { modes })
  assert.equal(changeStatus, 'changed')
  assert.match((diff as { text: string }).text, /^-two$/m)
  assert.equal((await look('two', { tag: 'daily' })).changeStatus, 'new')
  await plain('four')
  texts.clear()
  assert.deepEqual(
    Object.keys(await look('five', { modes })).includes('diff'),
    false,
    'without its text there is no diff',
  )
})

test('two URLs that differ only in the fragment are one page; a different query is another page', async () => {
  const { look } = openTracking()
  await look('one')
  assert.equal((await look('one', { url: 'https://a.example/#top' })).changeStatus, 'same')
  assert.equal((await look('one', { url: 'https://a.example/?a' })).changeStatus, 'new')
})

test('if one scrape is evaluated twice, both evaluations compare it with the previous scrape, and its snapshot is stored once', async () => {
  const { kept, look, again } = openTracking()
  await look('one')
  await look('two')
  assert.equal((await again('two')).changeStatus, 'changed')
  assert.equal(JSON.parse([...kept.values()][0]!.toString()).length, 2)
})

test('a scrape that is evaluated late is compared with the latest snapshot from before the scrape', async () => {
  const { look } = openTracking()
  await look('first', { at: 10 })
  await look('third', { at: 30 })
  assert.equal((await look('first', { at: 20 })).changeStatus, 'same')
})

test('the newest five snapshots are stored', async () => {
  const { kept, look } = openTracking()
  for (let at = 1; at <= 7; at++) await look(`text ${at}`)
  const ats = (JSON.parse([...kept.values()][0]!.toString()) as Array<{ at: number }>).map(({ at }) => at)
  assert.deepEqual(ats, [7, 6, 5, 4, 3])
})

test('a diff is made only if it was requested and the page has changed', async () => {
  const { look } = openTracking()
  const modes = ['git-diff']
  assert.equal('diff' in (await look('a\nb', { modes })), false)
  assert.equal('diff' in (await look('a\nb', { modes })), false)
  const { diff } = (await look('a\nc', { modes })) as { diff: { text: string; json: object } }
  assert.match(diff.text, /^-b$/m)
  assert.match(diff.text, /^\+c$/m)
  const [{ chunks }] = (diff.json as { files: [{ chunks: [{ changes: Array<{ type: string }> }] }] }).files
  assert.deepEqual(
    chunks[0].changes.map(({ type }) => type),
    ['normal', 'del', 'add'],
  )
})

test('changes of JSON fields are compared one by one', async () => {
  const { look } = openTracking()
  const modes = ['json']
  await look('a', { json: { price: 1, name: 'x' }, modes })
  const { json } = await look('a', { json: { price: 2, name: 'x' }, modes })
  assert.deepEqual(Object.keys(json as object), ['price'])
})

test('for a very long page only a hash is stored, so changes are detected but not shown by line', async () => {
  const { look, kept } = openTracking()
  const long = 'a line\n'.repeat(200_000)
  const modes = ['git-diff']
  const said = [
    await look(long, { modes }),
    await look(long, { modes }),
    await look(`${long}more`, { modes }),
  ]
  assert.deepEqual(
    said.map(({ changeStatus, diff }) => [changeStatus, diff]),
    [
      ['new', undefined],
      ['same', undefined],
      ['changed', undefined],
    ],
  )
  assert.ok([...kept.values()][0]!.length < 2_000)
})
