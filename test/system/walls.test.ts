// Tests walls in the whole engine: they are detected, reported with evidence, and requested again only if the policy says so.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Route } from '../../src/demo-site/index.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const quick = (site: TestSite) => ['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`]

test('a captcha page, a refusal and a consent page each have their own failure code and evidence', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const said = async (path: string) =>
    (await place.run(['scrape', `${site.url}${path}`, ...quick(site), '--quiet'])).stderr
  assert.match(await said('/wall/captcha'), /reCAPTCHA widget.*blocked\.captcha.*captchas are not solved/)
  assert.match(await said('/wall/blocked'), /Access denied.*blocked\.refused/)
  assert.match(await said('/wall/cookies'), /Before you go on.*blocked\.consent/)
  site.serve(
    '/news',
    '<title>Before you continue</title><h1>Before you continue</h1><p>We use cookies.</p><button>Accept all</button>',
  )
  assert.match(await said('/news'), /Before you continue.*blocked\.consent/)
})

/** Shows a wall to the first request and to clients with its cookie. Later requests without the cookie get the content. */
const fickle: Route = {
  path: '/fickle',
  answer: ({ headers, count }) => {
    const isWelcome = count > 1 && !headers.cookie?.includes('flagged')
    const type = { 'content-type': 'text/html' }
    if (isWelcome) return { headers: type, body: '<title>Welcome</title><h1>Welcome</h1><p>Come in.</p>' }
    const body = '<title>Are you human?</title><div class="h-captcha"></div>'
    return { status: 403, headers: { ...type, 'set-cookie': 'flagged=1; Path=/' }, body }
  },
}

test('a task that a wall blocks is retried with another identity, as often as the policy allows', async () => {
  await using site = await startTestSite({ routes: [fickle] })
  await using place = await Workplace.open()
  const runWith = async (retries: number) => {
    const policy = { blocks: { retries }, retries: { base_ms: 1 } }
    await writeFile(
      place.file('job.json'),
      JSON.stringify({ job_id: `r${retries}`, urls: [`${site.url}/fickle?r=${retries}`], policy }),
    )
    const { code } = await place.run([
      'jobs',
      'create',
      'job.json',
      ...quick(site),
      '--quiet',
      '-o',
      'out.jsonl',
    ])
    const { stdout } = await place.run(['jobs', 'show', `r${retries}`, '--tasks', '--json'])
    const { state, attempts } = JSON.parse(stdout)
    return { code, state, attempts }
  }
  assert.deepEqual(await runWith(0), { code: 5, state: 'failed', attempts: 1 })
  assert.deepEqual(await runWith(1), { code: 0, state: 'succeeded', attempts: 2 })
})
