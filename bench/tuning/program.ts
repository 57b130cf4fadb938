// One run of the program over a list of pages, in its own folder.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')
const rules = join(import.meta.dirname, '../static/rules.yaml')
const longestMs = 60_000

export interface ListRun {
  urls: string[]
  flags: string[]
  settings?: Record<string, string>
}

/** Resolves with the duration in seconds; rejects if the program fails. */
export async function runList({ urls, flags, settings = {} }: ListRun): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-tuning-'))
  try {
    await writeFile(join(folder, 'urls.txt'), `${urls.join('\n')}\n`)
    const places = [...new Set(urls.map(url => new URL(url).host))].join()
    const given = ['run', 'urls.txt', '-q', '-o', 'found.jsonl', '--extract', rules, ...flags]
    const startedAt = performance.now()
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...given], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, SCRAPER_ALLOW_PRIVATE: places, ...settings },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: longestMs,
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`kscrape ${given.join(' ')} ended with ${code}`)
    return (performance.now() - startedAt) / 1_000
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
