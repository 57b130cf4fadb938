// Tests that the launcher finds a browser that is installed while the process runs.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { asFailure } from '../../../model/failures.ts'
import { BrowserLauncher } from './browser-launcher.ts'

test('a browser that is installed while the process runs is used without a restart', async t => {
  const root = await mkdtemp(join(tmpdir(), 'kscrape-launcher-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const programs = join(root, 'bin')
  const places = {
    programFolders: [programs],
    playwrightFolder: join(root, 'none'),
    sparticuz: async () => null,
  }
  const launcher = new BrowserLauncher({ places, drivers: {}, emit: () => {}, tempFolder: root })
  const failing = async () => {
    const launched = launcher.launch({ driver: 'cdp', keepsSitesApart: false, languages: [] })
    return asFailure(await launched.catch((error: unknown) => error)).code
  }

  assert.equal(await failing(), 'browser.missing')
  await mkdir(programs)
  // This program is not a browser, but its output shows that the launcher started it.
  await writeFile(join(programs, 'chromium'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  assert.equal(await failing(), 'browser.not-started')
})
