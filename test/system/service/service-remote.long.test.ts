// Tests the command line with --server: it prints the same output and writes the same files as for a local job.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { closedHours } from '../../support/closed-hours.ts'
import { eventually } from '../../support/eventually.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

describe('kscrape --server', () => {
  let site: TestSite
  let service: TestService
  let place: Workplace
  let env: Record<string, string>
  before(async () => {
    site = await startTestSite()
    service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
    place = await Workplace.open()
    env = { SCRAPER_SERVER: service.url, SCRAPER_API_KEY: operatorKey }
  })
  after(async () => {
    await place?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const fast = ['--rate', 'unlimited']
  /** The text without times and paths, because they differ. */
  const plain = (text: string) =>
    text
      .replace(/in \d+(\.\d+)? s/g, 'in N s')
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/g, 'TIME')
      .replace(/ --(server|data-dir|allow-private) \S+/g, '')
      .replace(/^.*kscrape explain.*\n/gm, '')
      .replace(/took \S+/g, 'took N')
      // Progress is printed from time to time, so the number of lines depends on the machine.
      .replace(/^.* · done .*\n/gm, '')

  test('with --server a crawl runs on the service, and its files and summary equal those of a local crawl', async () => {
    const crawl = ['crawl', `${site.url}/categories`, '--depth', '1', '--sitemap', 'skip', ...fast]
    const files = ['-o', 'there.jsonl', '-o', 'there.csv', '-o', 'there.parquet', '-o', 'there.warc.gz']
    const there = await place.run([...crawl, ...files, '--job', 'same'], { env })
    const leave = ['--allow-private', `${site.host}:${site.port}`, '--data-dir', 'here']
    const named = files.map(file => file.replace('there', 'here'))
    const here = await place.run([...crawl, ...named, '--job', 'same', ...leave])
    assert.equal(there.code, here.code, there.stderr)
    assert.equal(plain(there.stderr), plain(here.stderr.replaceAll('here.', 'there.')))
    const urls = async (name: string) => (await place.records(name)).map(({ _page }) => _page.url).sort()
    assert.deepEqual(await urls('there.jsonl'), await urls('here.jsonl'))
    const columns = async (name: string) =>
      (await readFile(place.file(name), 'utf8')).split('\r\n', 1)[0]!.split(',').sort()
    assert.deepEqual(await columns('there.csv'), await columns('here.csv'))
    const parquetRows = async (name: string) => {
      const rows = await parquetReadObjects({
        file: await asyncBufferFromFile(place.file(name)),
        compressors: { ZSTD: input => zstdDecompressSync(input) },
      })
      return rows.map(({ url }) => url).sort()
    }
    assert.deepEqual(await parquetRows('there.parquet'), await parquetRows('here.parquet'))
    assert.ok((await readFile(place.file('there.warc.gz'))).length > 100)

    for (const args of [
      ['jobs', 'show', 'same'],
      ['jobs', 'list', '--state', 'completed'],
      ['jobs', 'show', 'same', '--task', '1'],
    ]) {
      const [remote, local] = [
        await place.run(args, { env }),
        await place.run([...args, '--data-dir', 'here']),
      ]
      assert.equal(remote.code, 0, remote.stderr)
      const lines = (text: string) =>
        plain(text)
          .split('\n')
          .map(line => line.replace(/, \d+ ms(, stored in .*)?$/, '').replace(/ *output .*$/, ''))
          .filter(line => line.includes('same'))
      assert.deepEqual(lines(remote.stdout), lines(local.stdout), args.join(' '))
    }
  })

  test('without -o the records are printed to stdout', async () => {
    const { code, stdout, stderr } = await place.run(
      ['crawl', `${site.url}/about`, '--depth', '0', '--sitemap', 'skip', ...fast],
      { env },
    )
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout.trim())._page.url, `${site.url}/about`)
  })

  test('with --server a list is uploaded to the service, and invalid rows are listed with their line', async () => {
    await writeFile(
      place.file('list.csv'),
      `url,name\n${site.url}/about,a\nnot a url,b\n${site.url}/jobs,c\n`,
    )
    const run = await place.run(['run', 'list.csv', '--job', 'listed', '-o', 'listed.jsonl', ...fast], {
      env,
    })
    assert.equal(run.code, 0, run.stderr)
    assert.match(run.stderr, /rows not run: 0 duplicate, 1 rejected/)
    assert.equal((await place.records('listed.jsonl')).length, 2)
    const rejected = await place.run(['jobs', 'show', 'listed', '--rejected'], { env })
    assert.match(rejected.stdout, /^line 3: /)
    const tasks = await place.run(['jobs', 'show', 'listed', '--tasks', 'succeeded', '--json'], { env })
    assert.equal(tasks.stdout.trim().split('\n').length, 2)
  })

  test('a list from stdin is uploaded too, and no local copy is left', async () => {
    const run = await place.run(['run', '-', ...fast], { env, stdin: `${site.url}/about\n` })
    assert.equal(run.code, 0, run.stderr)
    assert.equal(JSON.parse(run.stdout)._page.url, `${site.url}/about`)
    assert.deepEqual(await readdir(place.file('.kscrape/inputs')), [])
  })

  test('Ctrl-C leaves the job running on the service, and prints how to follow it again', async () => {
    site.serve('/slow-one', '<title>slow</title>')
    const hold = site.hold('/slow-one')
    const running = place.start(
      [
        'crawl',
        `${site.url}/slow-one`,
        '--depth',
        '0',
        '--sitemap',
        'skip',
        '--job',
        'left',
        '-o',
        'left.csv',
        ...fast,
      ],
      { env },
    )
    await hold.arrived()
    running.child.kill('SIGINT')
    const { code, stderr } = await running.ended
    assert.equal(code, 130)
    assert.match(stderr, /left continues at http/)
    assert.match(stderr, /kscrape jobs export left -o \S*left\.csv --server http/)
    hold.release()
    assert.equal((await service.ended('left')).status, 'completed')
    const exported = await place.run(['jobs', 'export', 'left', '-o', 'left.csv'], { env })
    assert.match(exported.stderr, /wrote left\.csv \(1 records?\)/)
  })

  test('with --server, jobs of the service are paused, resumed, cancelled, retried and deleted', async () => {
    await service.submit({
      job_id: 'steered',
      urls: ['http://a.example/1', 'http://a.example/2'],
      policy: { hours: closedHours() },
    })
    const steer = async (...args: string[]) => place.run(['jobs', ...args], { env })
    assert.match((await steer('pause', 'steered')).stderr, /steered is paused/)
    assert.match((await steer('resume', 'steered')).stderr, /steered is running/)
    assert.match((await steer('resume', 'steered', '--rate', '5/s')).stderr, /as it was submitted/)
    assert.match((await steer('cancel', 'steered', '--json')).stdout, /"job_id":"steered"/)
    await eventually(
      'it is cancelled',
      async () => (await service.ask('/jobs/steered')).body.status === 'cancelled',
    )
    assert.equal((await steer('delete', 'steered')).code, 0)
    const gone = await steer('show', 'steered')
    assert.equal(gone.code, 1)
    assert.match(gone.stderr, /there is no job "steered"/)
  })

  test('with --server, keys of the service are created and revoked', async () => {
    const made = await place.run(['keys', 'create', '--name', 'far', '--json'], { env })
    const { key, key_id } = JSON.parse(made.stdout)
    assert.equal((await service.ask('/jobs', { key })).status, 200)
    assert.match((await place.run(['keys', 'list'], { env })).stdout, /far/)
    assert.equal((await place.run(['keys', 'revoke', key_id], { env })).code, 0)
    assert.equal((await service.ask('/jobs', { key })).status, 401)
  })

  test('with --server, uploads, schedules, hosts and records of the service are listed and changed', async () => {
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await place.run(args, { env })
      assert.equal(code, 0, `${args.join(' ')}\n${stderr}`)
      return stdout + stderr
    }
    await writeFile(place.file('rows.txt'), `${site.url}/about\n`)
    const uploadId = (await said('uploads', 'send', 'rows.txt')).trim()
    assert.match(await said('uploads', 'list'), new RegExp(`${uploadId}  rows.txt .* complete`))
    assert.match(await said('uploads', 'delete', uploadId), /deleted/)

    const schedule = {
      schedule_id: 'nightly',
      name: 'n',
      cron: '0 2 * * *',
      time_zone: 'UTC',
      job: { urls: [`${site.url}/about`] },
    }
    await writeFile(place.file('schedule.json'), JSON.stringify(schedule))
    assert.match(await said('schedules', 'create', 'schedule.json'), /next runs: /)
    assert.match(await said('schedules', 'run', 'nightly'), /was started/)
    assert.match(await said('schedules', 'show', 'nightly'), /tick .*outcome .*job .*\n.* list-/)
    assert.match(await said('schedules', 'list'), /nightly/)
    assert.match(await said('schedules', 'delete', 'nightly'), /deleted/)

    const host = `${site.host}:${site.port}`
    assert.match(await said('hosts', 'pause', host, '--reason', 'they asked'), /paused: they asked/)
    assert.match(await said('hosts', 'resume', host), /asked\n/)
    assert.match(await said('hosts', 'policy', host, '--rate', '2/s'), /2\/s/)
    assert.match(await said('hosts', 'policy', host), new RegExp(host))
    assert.match(await said('hosts', 'list'), new RegExp(host))
    assert.match(await said('search', '--filter', 'url~about', '--limit', '1'), /\/about/)
  })

  test('the error for a missing service, a wrong key, two targets or local flags has one line', async () => {
    const said = async (args: string[], variables = env) => (await place.run(args, { env: variables })).stderr
    assert.match(await said(['jobs', 'list', '--server', 'http://127.0.0.1:1']), /can't be reached/)
    assert.match(await said(['jobs', 'list', '--api-key', 'wrong']), /the key is unknown/)
    assert.match(
      await said(['jobs', 'list', '--server', service.url, '--data-dir', 'x']),
      /--server and --data-dir cannot be combined/,
    )
    assert.match(
      await said(['crawl', `${site.url}/`, '--allow-private', '127.0.0.1:1']),
      /the operator of the service must start/,
    )
    assert.match(await said(['crawl', `${site.url}/`, '--job', 'same']), /same/)
    assert.match(await said(['jobs', 'list'], { SCRAPER_SERVER: 'nowhere' }), /SCRAPER_SERVER.*like http/)
  })
})
