// Tests that the modules of the program are joined when tests start it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { joinProgram } from './join-program.ts'

const root = join(import.meta.dirname, '../..')

/** The files of this project that a process loads if it is started with these arguments. */
function loadedBy(args: string[], env: NodeJS.ProcessEnv): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kscrape-loaded-'))
  try {
    const flags = ['--disable-warning=ExperimentalWarning']
    execFileSync(process.execPath, [...flags, ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env, NODE_V8_COVERAGE: folder },
    })
    const reports = readdirSync(folder).map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    return reports
      .flatMap((report: { result: { url: string }[] }) => report.result)
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url }) => fileURLToPath(url))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('the runner joins the modules once per run; the program loads the joined modules, and test files load the sources', async () => {
  const env = await joinProgram(root)
  assert.deepEqual(await joinProgram(root), env)

  const program = loadedBy(['src/cli/kscrape.ts', 'version'], env)
  assert.ok(program.includes(join(env.TEST_JOINED!, 'cli-main.js')))
  assert.ok(!program.includes(join(root, 'src/cli/main.ts')))

  const single = loadedBy(['--input-type=module', '--eval', `await import('${root}/src/index.ts')`], env)
  assert.ok(single.includes(join(root, 'src/index.ts')))
})
