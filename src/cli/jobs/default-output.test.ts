// Tests where the records of a job go if the user names no output.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { givenSpec } from '../../model/job.ts'
import { defaultOutput } from './default-output.ts'

test('on a terminal, records go to a new file named after the site or the list; in a pipe, to stdout', async () => {
  const here = process.cwd()
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-default-'))
  process.chdir(folder)
  try {
    const crawl = givenSpec.parse({ seedUrls: ['https://shop.example/a'] })
    const named = (source?: string) => defaultOutput(crawl, source, true).path.split('/').at(-1)
    assert.equal(defaultOutput(crawl, undefined, false).path, '-')
    assert.equal(named(), 'shop.example.jsonl')
    await writeFile('shop.example.jsonl', 'kept')
    assert.equal(named(), 'shop.example-2.jsonl')
    assert.equal(named('/lists/urls.csv.gz'), 'urls-records.jsonl')
  } finally {
    process.chdir(here)
    await rm(folder, { recursive: true })
  }
})
