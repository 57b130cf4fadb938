// Tests that third-party linters find no error in our OpenAPI document, and that generated clients compile and work.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { operatorKey, TestService } from '../support/service.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const tool = (name: string): string => join(import.meta.dirname, 'openapi-nightly/node_modules/.bin', name)

let service: TestService
let folder: string
before(async () => {
  await run(join(root, 'ci/drop-in'), ['openapi-nightly'])
  service = await TestService.open({ settings: { denyHosts: ['example.com'] } })
  folder = await mkdtemp(join(tmpdir(), 'kscrape-openapi-'))
  const { body } = await service.ask('/openapi.json', { key: null })
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(body))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const inFolder = async (program: string, args: string[]): Promise<string> => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' }
  const options = { cwd: folder, env, maxBuffer: 1e8 }
  // A linter that finds errors exits with 1. The assertion then shows its output.
  const { stdout } = await run(program, args, options).catch((error: { stdout: string; stderr: string }) => {
    if (!error.stdout) throw error
    return error
  })
  return stdout
}

const compile = (files: string[]): Promise<string> =>
  inFolder('node_modules/.bin/tsc', [
    ...['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ...['--target', 'esnext', '--lib', 'esnext,dom', '--types', 'node', ...files],
  ])

test('redocly finds no error in the OpenAPI document, and every example fits its schema', async () => {
  const said = await inFolder(tool('redocly'), ['lint', 'openapi.json', '--format=json'])
  const { problems } = JSON.parse(said) as {
    problems: { ruleId: string; severity: string; message: string }[]
  }
  const serious = problems.filter(
    ({ severity, ruleId }) => severity === 'error' || ruleId === 'no-invalid-schema-examples',
  )
  assert.deepEqual(serious, [])
})

test('spectral finds no error in the OpenAPI document, and every operation has a description', async () => {
  const said = await inFolder(tool('spectral'), [
    ...['lint', 'openapi.json', '--format', 'json', '--quiet', '--fail-severity', 'error'],
  ])
  const found = JSON.parse(said) as { code: string; severity: number; message: string }[]
  const serious = found.filter(({ severity, code }) => severity === 0 || code.startsWith('operation-'))
  assert.deepEqual(serious, [])
})

test('the types that openapi-typescript generates compile, and have named fields', async () => {
  await inFolder(tool('openapi-typescript'), [
    ...['openapi.json', '-o', 'types.ts'],
    // A field with a default may be left out of a request.
    '--default-non-nullable=false',
  ])
  await writeFile(
    join(folder, 'uses-types.ts'),
    `import type { components } from './types.ts'
    export const job: components['schemas']['JobRequest'] = { urls: ['https://example.com/'] }
    export const stateOf = (job: components['schemas']['Job']): string => job.status
    // @ts-expect-error there is no such field
    export const wrong: components['schemas']['JobRequest'] = { url_list: [] }
    `,
  )
  assert.equal(await compile(['--allowImportingTsExtensions', 'uses-types.ts']), '')
})

test('a client that @hey-api/openapi-ts generates compiles, starts a job and reads it', async () => {
  await inFolder(tool('openapi-ts'), [
    ...['-i', 'openapi.json', '-o', 'client', '--no-log-file', '-p'],
    ...['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  ])
  await writeFile(
    join(folder, 'uses-client.ts'),
    `import { getJobsJobId, postJobs } from './client'
    import { client } from './client/client.gen'
    client.setConfig({ baseUrl: process.env.SERVER!, headers: { authorization: \`Bearer \${process.env.KEY}\` } })
    const { data, error } = await postJobs({ body: { urls: ['https://example.com/'] } })
    if (!data) throw new Error(JSON.stringify(error))
    const { data: job } = await getJobsJobId({ path: { job_id: data.job_id } })
    console.log(job?.kind, job?.counts.tasks)
    `,
  )
  assert.equal(await compile(['uses-client.ts']), '')
  const { stdout } = await run(process.execPath, [join(await bundled(), 'app.mjs')], {
    env: { ...process.env, SERVER: service.url, KEY: operatorKey },
  })
  assert.equal(stdout.trim(), 'list 1')
})

/** Bundles the generated code, because its imports have no file extensions. */
async function bundled(): Promise<string> {
  const { build } = await import('vite')
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(folder, 'uses-client.ts'),
      outDir: 'built',
      rollupOptions: { output: { entryFileNames: 'app.mjs' } },
    },
  })
  return join(folder, 'built')
}
