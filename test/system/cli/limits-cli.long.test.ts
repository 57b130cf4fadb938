// Tests limits and policies on the command line: a crawl stops at its limit, continues after a raise, and shows the policy that
// it used.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

test('a crawl stops at --limit with exit code 4, and continues after `kscrape jobs raise`', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const open = ['--allow-private', `${site.host}:${site.port}`]
  const asked = ['--rate', 'unlimited', '--limit', 'pages=5', '--limit', 'bytes=500MB']

  const stopped = await place.run(['crawl', `${site.url}/`, ...asked, ...open, '--job', 'c', '-o', 'c.jsonl'])
  assert.equal(stopped.code, 4, stopped.stderr)
  assert.match(stopped.stderr, /paused c: .*\(limit\.pages\)/)
  assert.match(stopped.stderr, /more: +kscrape jobs raise c pages=N/)
  assert.equal((await place.records('c.jsonl')).length, 5)

  const early = await place.run(['jobs', 'resume', 'c', ...open])
  assert.match(early.stderr, /has used its budget \(limit\.pages\)/)
  const raised = await place.run(['jobs', 'raise', 'c', 'pages=+3', 'bytes=none'])
  assert.match(raised.stderr, /c may spend 8 pages; continue: kscrape jobs resume c/)
  const again = await place.run(['jobs', 'resume', 'c', ...open])
  assert.equal(again.code, 4, again.stderr)
  assert.equal((await place.records('c.jsonl')).length, 8)

  const shown = await place.run(['jobs', 'show', 'c', '--policy'])
  assert.match(shown.stdout, /spent: 8 pages of 8/)
  assert.match(shown.stdout, /host\.rate: unlimited \(job\)/)
  assert.match(shown.stdout, /retries\.attempts: 3 \(default\)/)
})

test('explain names the policy that applies to a URL, and its source', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(place.file('policies.yaml'), `"${site.host}":\n  rate: 50/s\n  retries: { attempts: 7 }\n`)
  await writeFile(place.file('kscrape.config.yaml'), 'domain_policies: policies.yaml\n')
  const flags = ['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`]
  await place.run([
    'crawl',
    `${site.url}/about`,
    ...flags,
    '--depth',
    '0',
    '--job',
    'e',
    '-q',
    '-o',
    'e.jsonl',
  ])

  const { stdout } = await place.run(['explain', 'e', `${site.url}/about`])
  assert.match(stdout, /policy: .*retries\.attempts 7 \(domain\)/)
  assert.match(stdout, /host\.rate 50 \(domain\)/)
  const { policy } = JSON.parse((await place.run(['explain', 'e', `${site.url}/about`, '--json'])).stdout)
  const attempts = policy.find(({ path }: { path: string }) => path === 'retries.attempts')
  assert.deepEqual(attempts, { path: 'retries.attempts', value: 7, from: 'domain' })
})

test('the error for an invalid limit shows the right syntax', async () => {
  await using place = await Workplace.open()
  const wrong = await place.run(['crawl', 'http://127.0.0.1:1/', '--limit', 'megabytes=5'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /"megabytes=5" is not a limit; write it like pages=500, bytes=2GB/)
})
