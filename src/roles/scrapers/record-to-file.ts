// Records a run of a scraper that is given as code, into a WARC file.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadSettings } from '../../config/load.ts'
import type { SettingsInput } from '../../config/settings.ts'
import type { RecordData } from '../../model/record.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { recordRun } from './record-run.ts'
import type { RunStart } from './run-over.ts'

interface RecordToFile {
  start: RunStart
  to: string
  settings?: SettingsInput
  signal?: AbortSignal
}

export async function recordToFile(scraper: Scraper, request: RecordToFile): Promise<RecordData[]> {
  const { start, to, settings, signal } = request
  await using opened = new AsyncDisposableStack()
  // An empty folder, because the project may have a scraper with the same id.
  const root = await mkdtemp(join(tmpdir(), 'kscrape-record-'))
  opened.defer(() => rm(root, { recursive: true, force: true }))
  const loaded = { ...(await loadSettings(settings)), root }
  const { recording, records } = await recordRun({
    ...{ loaded, start, scraperId: scraper.id, scrapers: [scraper] },
    ...(signal && { stop: signal }),
  })
  await mkdir(dirname(to), { recursive: true })
  await writeFile(to, recording)
  return records
}
