// Seed 000 (an earlier specification of the crawler platform): runs the steps as the seed lists them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

describe('the API of the crawler platform', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    const allowPrivate = [`${site.host}:${site.port}`]
    service = await TestService.open({ settings: { allowPrivate, rate: 'unlimited' } })
    site.serve(
      '/app',
      '<!doctype html><title>App</title><h1>Loading</h1><script>document.title = "Drawn"</script>',
    )
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  test('GET /healthz answers without a key', async () => {
    assert.equal((await service.ask('/healthz', { key: null })).status, 200)
  })

  test('with render: false a page is fetched as it is, and with render: true it is rendered', async () => {
    const titles = await Promise.all(
      [false, true].map(async render => {
        const jobId = await service.submit({
          ...{ seed_urls: [`${site.url}/app`], depth: 0, allowed_domains: [site.host], render },
        })
        assert.equal((await service.ended(jobId)).status, 'completed')
        const { body } = await service.ask<{ items: Array<{ data: { title: string } }> }>(
          `/jobs/${jobId}/results`,
        )
        return body.items.map(({ data }) => data.title)
      }),
    )
    assert.deepEqual(titles, [['App'], ['Drawn']])
  })
})

test('make hooks installs a hook that runs the linter and the type checker before each commit', async () => {
  assert.match(
    await readFile(join(root, 'Makefile'), 'utf8'),
    /^hooks:.*\n\tgit config core\.hooksPath ci\/hooks$/m,
  )
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-hooks-'))
  try {
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], { cwd: folder })
    await mkdir(join(folder, 'ci'))
    for (const name of ['ci/hooks', 'biome.json', '.gitignore'])
      await cp(join(root, name), join(folder, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "scripts": { "types": "test ! -e wrong-types" } }\n')
    await git('init', '-q')
    await git('config', 'core.hooksPath', 'ci/hooks')
    const commit = async (text: string) => {
      await writeFile(join(folder, 'ok.ts'), text)
      await git('add', 'ok.ts')
      return git('commit', '-qm', 'a change').then(
        () => 'committed',
        (error: { stdout: string; stderr: string }) => `refused: ${error.stdout}${error.stderr}`,
      )
    }
    assert.match(await commit('export const  a=1;;\n'), /^refused: .*ok\.ts/s)
    await writeFile(join(folder, 'wrong-types'), '')
    assert.match(await commit('export const a = 1\n'), /^refused/)
    await rm(join(folder, 'wrong-types'))
    assert.equal(await commit('export const a = 1\n'), 'committed')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('docs/tuning.md covers concurrency, connections and browsers, with settings that exist', async () => {
  const guide = await readFile(join(root, 'docs/tuning.md'), 'utf8')
  const settings = await readFile(join(root, 'docs/settings.md'), 'utf8')
  const headings = [...guide.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)
  for (const part of ['Requests at a time', 'Connections to one host', 'The render pool'])
    assert.ok(headings.includes(part), part)
  const named = [...new Set(guide.match(/\bSCRAPER_[A-Z_]+\b/g))]
  assert.ok(named.length >= 3)
  assert.deepEqual(
    named.filter(name => !settings.includes(`\`${name}\``)),
    [],
  )
})
