// docs/scrapers.md, followed to the letter: a newcomer's folder, the demo site, and every command in its order.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startDemoSite } from '../../src/demo-site/index.ts'
import { Workplace } from './run-cli.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

interface Step {
  kind: 'sh' | 'ts'
  text: string
}

async function stepsOf(page: string): Promise<Step[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8')
  return [...text.matchAll(/```(sh|ts)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({
    kind: kind as Step['kind'],
    text: text!,
  }))
}

/** `kscrape` as a command, as an installation makes it. */
async function shellIn(place: Workplace) {
  const bin = place.file('bin/kscrape')
  await mkdir(dirname(bin))
  const program = join(root, 'src/cli/run.ts')
  await writeFile(bin, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  await chmod(bin, 0o755)
  const env = { PATH: `${dirname(bin)}:${process.env.PATH}`, HOME: place.path }
  return async (line: string) => (await run('sh', ['-c', line], { cwd: place.path, env })).stdout
}

test('the guide to scrapers works as it stands, from an empty folder to records', async () => {
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  await using place = await Workplace.open()
  const shell = await shellIn(place)
  const here = (text: string) => text.replaceAll('127.0.0.1:8080', `${site.host}:${site.port}`)
  const said = new Map<string, string>()
  for (const { kind, text } of await stepsOf('scrapers.md')) {
    if (kind === 'ts') await writeFile(place.file('scrapers/parcel-tax.ts'), here(text))
    else for (const line of text.trimEnd().split('\n')) said.set(line, await shell(here(line)))
  }
  const told = (start: string) => [...said].find(([line]) => line.startsWith(start))?.[1] ?? ''
  assert.match(told('echo "page.form'), /__VIEWSTATE/)
  assert.match(told('cat scrapers/golden'), /"due": 6710.48/)
  assert.match(told('kscrape scrapers certify'), /parcel-tax@1 is certified/)
  assert.match(told('kscrape scrapers list'), /parcel-tax .* yes /)
  assert.match(told('kscrape jobs show taxes --rejected'), /line 4: .*a parcel like "123-45-678"/)
  const rows = (await readFile(place.file('taxes.csv'), 'utf8')).trim().split('\n')
  assert.match(rows[0]!, /^parcel,owner,due/)
  assert.equal(rows.length, 3)
  assert.ok(existsSync(place.file('more-taxes.csv')))
})
