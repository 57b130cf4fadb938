// Tests that kscrape do-not-crawl and kscrape schedules compare do the same on a data directory and at a service.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

let site: TestSite
let service: TestService
let place: Workplace
before(async () => {
  site = await startTestSite()
  service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  place = await Workplace.open()
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

interface Entry {
  listing_id: string
  pattern: string
  list: string
  status: string
  reason: string | null
}

const ways = (): Array<{ name: string; flags: string[] }> => [
  { name: 'a data directory', flags: ['--data-dir', service.folder] },
  { name: 'a service', flags: ['--server', service.url, '--api-key', operatorKey] },
]

const entries = (stdout: string): Entry[] =>
  stdout
    .trim()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Entry)

test('an entry of the do-not-crawl list is added, listed and removed, and a running service applies it', async () => {
  for (const [index, { name, flags }] of ways().entries()) {
    const pattern = `*.left-alone-${index}.example`
    const run = (...args: string[]) => place.run(['do-not-crawl', ...args, ...flags])
    const made = await run('add', pattern, '--reason', 'they asked by mail')
    assert.deepEqual([made.code, made.stdout], [0, ''], `${name}: ${made.stderr}`)
    assert.match(made.stderr, /gets no more requests/)

    const listed = entries((await run('list', '--list', 'deny', '--json')).stdout)
    const entry = listed.find(one => one.pattern === pattern)
    assert.deepEqual([entry?.status, entry?.reason], ['approved', 'they asked by mail'], name)
    const seen = await service.ask<Entry>(`/do-not-crawl/${entry!.listing_id}`)
    assert.equal(seen.body.pattern, pattern, name)
    const table = await run('list')
    assert.match(table.stdout, new RegExp(`${entry!.listing_id} +deny +\\*\\.left-alone`))

    assert.equal((await run('remove', pattern)).code, 0)
    assert.deepEqual(entries((await run('list', '--json')).stdout), [], name)
    const again = await run('remove', pattern)
    assert.deepEqual([again.code, /there is no entry/.test(again.stderr)], [1, true], again.stderr)
  }
})

test('requests of site owners are listed, approved or rejected', async () => {
  for (const [index, { name, flags }] of ways().entries()) {
    const run = (...args: string[]) => place.run(['do-not-crawl', ...args, ...flags])
    const ask = async (host: string) =>
      (await service.ask<{ request_id: string }>('/do-not-crawl/requests', { key: null, body: { host } }))
        .status
    for (const host of [`yes-${index}.example`, `no-${index}.example`])
      assert.equal(await ask(host), 201, name)
    const waiting = entries((await run('requests', 'list', '--json')).stdout)
    const idOf = (host: string) => waiting.find(one => one.pattern === host)!.listing_id

    const agreed = await run('requests', 'approve', idOf(`yes-${index}.example`), '--json')
    const refused = await run('requests', 'refuse', idOf(`no-${index}.example`), '--json')

    assert.deepEqual(
      [entries(agreed.stdout)[0]?.status, entries(refused.stdout)[0]?.status],
      ['approved', 'refused'],
    )
    assert.deepEqual(entries((await run('requests', 'list', '--json')).stdout), [], name)
  }
})

test('the error for an invalid entry of the list shows the right syntax', async () => {
  for (const { flags } of ways()) {
    const { code, stderr } = await place.run(['do-not-crawl', 'add', 'no place', ...flags])
    assert.deepEqual([code, /write it like example\.com/.test(stderr)], [2, true], stderr)
  }
})

test('two runs of a schedule are compared', async () => {
  site.serve('/price', '<title>Price</title><p class="price">10</p>')
  const schedule = {
    ...{ schedule_id: 'prices', name: 'prices', cron: '0 0 1 1 *', time_zone: 'UTC' },
    job: {
      urls: [`${site.url}/price`, `${site.url}/about`],
      extract: { fields: { price: '.price', title: 'title' } },
      policy: { host: { rate: 'unlimited' } },
    },
  }
  await writeFile(place.file('prices.json'), JSON.stringify(schedule))
  assert.equal((await service.ask('/schedules', { body: schedule })).status, 201)
  const early = await place.run(['schedules', 'compare', 'prices', '--data-dir', service.folder])
  assert.match(early.stderr, /two are needed to compare/)
  for (const price of ['10', '12']) {
    site.serve('/price', `<title>Price</title><p class="price">${price}</p>`)
    const { body } = await service.ask<{ job_id: string }>('/schedules/prices/run', { method: 'POST' })
    await service.ended(body.job_id)
  }
  for (const { name, flags } of ways()) {
    const compared = await place.run(['schedules', 'compare', 'prices', '--json', ...flags])
    const found = JSON.parse(compared.stdout) as {
      counts: Record<string, number>
      items: Array<{ difference: string; fields: string[] }>
    }
    assert.deepEqual(found.counts, { new: 0, changed: 1, unchanged: 1, gone: 0 }, name)
    assert.deepEqual(
      found.items.map(({ difference, fields }) => [difference, fields]),
      [['changed', ['price']]],
    )
    const told = await place.run(['schedules', 'compare', 'prices', '--difference', 'unchanged', ...flags])
    assert.match(told.stdout, /0 new, 1 changed, 1 unchanged, 0 gone\n.*\nunchanged .*\/about/s)
  }
})
