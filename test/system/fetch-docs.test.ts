// docs/fetch-api.md and docs/uploads.md are true: their examples run as they stand, and no field is missing from them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { errorNames } from '../../src/model/error-names.ts'
import { jobStates } from '../../src/model/job.ts'
import { snake } from '../../src/model/letter-case.ts'
import { fetchBody, fetchResult } from '../../src/server/faces/fetch/schemas.ts'
import { createdUpload, newUploadBody } from '../../src/server/faces/uploads/schemas.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { operatorKey, TestService } from '../support/service.ts'

const pageNamed = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')
const examplesOf = (page: string): string[] =>
  [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!)

const fetchPage = pageNamed('fetch-api.md')
const uploadsPage = pageNamed('uploads.md')

let site: TestSite
let service: TestService
before(async () => {
  site = await startTestSite()
  service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], minFreeBytes: 0 },
  })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

async function run(example: string): Promise<string> {
  const script = example.replaceAll('127.0.0.1:8080', `${site.host}:${site.port}`)
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: service.folder,
    env: { ...process.env, SERVER: service.url, KEY: operatorKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  assert.equal(code, 0, `${script}\n${said}\n${complaint}`)
  return said
}

const answers = [
  /"status":"pending","status_url":/,
  /"html_content":"<!DOCTYPE html>/i,
  /"status":"(finishing|cancelled)"/,
]
for (const [index, example] of examplesOf(fetchPage).entries())
  test(`example ${index + 1} of docs/fetch-api.md runs as it stands`, async () => {
    assert.match(await run(example), answers[index]!)
  })

test('the example of docs/uploads.md runs as it stands', async () => {
  const [example, ...others] = examplesOf(uploadsPage)
  assert.equal(others.length, 0)
  const said = await run(example!)
  assert.match(said, /"status":"complete","bytes":\d+/)
  assert.match(said, /"row":4,"text":"[^}]*no url/)
  assert.match(said, /"deleted":true/)
})

test('no field or state is missing, and every error that is named exists', () => {
  const options = Object.keys(fetchBody.shape.options.unwrap().unwrap().shape).map(
    name => `options.${snake(name)}`,
  )
  const ofFetch = [
    ...Object.keys(fetchResult.shape).map(snake),
    ...jobStates,
    'links',
    'warnings',
    ...options,
  ]
  const isTold = (page: string) => (word: string) =>
    !page.includes(`\`${word}\``) && !page.includes(`"${word}"`)
  assert.deepEqual(ofFetch.filter(isTold(fetchPage)), [])
  const ofUploads = [...Object.keys(newUploadBody.shape), ...Object.keys(createdUpload.shape)].map(snake)
  assert.deepEqual(ofUploads.filter(isTold(uploadsPage)), [])
  const named = [...fetchPage.matchAll(/`(\w+Error)`/g)].map(([, name]) => name!)
  assert.deepEqual(
    named.filter(name => !Object.values(errorNames).includes(name)),
    [],
  )
})
