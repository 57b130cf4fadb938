// Writes WACZ: raw pages, index and page list of a job in one file for replay tools.
import { createHash } from 'node:crypto'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { chosenId } from '../../model/ids.ts'
import type { Job } from '../../model/job.ts'
import { type CdxLine, cdxLines, cdxText } from './cdxj.ts'
import { PageList } from './page-list.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import { warcChunks } from './warc.ts'
import { ZipFile } from './zip.ts'

/** Size in bytes after which a new WARC file begins. This is well below the size limit of a ZIP entry. */
const fileBytes = 1024 * 1024 * 1024

/** Number of index lines that are created before other work may run. Each page is parsed for its title, which takes
 *  time. */
const linesAtOnce = 10

interface Resource {
  name: string
  path: string
  hash: string
  bytes: number
}

export async function writeWacz(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const zip = new ZipFile(sink)
  const resources: Resource[] = []
  const indexed: string[] = []
  const pages = new PageList(source.describePage)
  for await (const { name, hash, bytes, lines } of archives(source, zip, pages)) {
    resources.push({ name, path: `archive/${name}`, hash, bytes })
    indexed.push(cdxText(lines, name))
    onProgress({ rows: pages.count, bytes: sink.bytes })
  }
  const add = async (path: string, text: string) => {
    await zip.add(path, text)
    resources.push({
      name: path.split('/').at(-1)!,
      path,
      hash: sha256(text),
      bytes: Buffer.byteLength(text),
    })
  }
  await add('indexes/index.cdx', merged(indexed))
  await add('pages/pages.jsonl', pages.text())
  await describe(zip, source.job, resources, pages.first)
  await zip.finish()
  return pages.count
}

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

interface Archive {
  name: string
  hash: string
  bytes: number
  lines: CdxLine[]
}

/** Splits the pages over several WARC files. If a chunk of records makes a file larger than `fileBytes`, that
 *  file ends after the chunk. */
async function* archives(source: ExportSource, zip: ZipFile, pages: PageList): AsyncGenerator<Archive> {
  let number = 1
  let lines: CdxLine[] = []
  let digest = createHash('sha256')
  let at = 0
  const nameOf = () => `data-${String(number).padStart(5, '0')}.warc.gz`
  const close = async (): Promise<Archive> => {
    const { bytes } = await zip.end()
    const done = { name: nameOf(), hash: `sha256:${digest.digest('hex')}`, bytes, lines }
    ;[number, lines, digest, at] = [number + 1, [], createHash('sha256'), 0]
    return done
  }
  await zip.begin(`archive/${nameOf()}`)
  for await (const chunk of warcChunks(source)) {
    if (at > fileBytes) {
      yield await close()
      await zip.begin(`archive/${nameOf()}`)
    }
    for (const line of cdxLines(chunk, at, record => pages.see(record)))
      if (lines.push(line) % linesAtOnce === 0) await letOthersRun()
    digest.update(chunk)
    await zip.write(chunk)
    at += chunk.length
  }
  yield await close()
}

/** Merges the sorted texts into one sorted text. */
const merged = (texts: string[]): string =>
  texts.length === 1
    ? texts[0]!
    : texts
        .flatMap(text => text.split(/(?<=\n)/))
        .map(line => Buffer.from(line))
        .sort(Buffer.compare)
        .join('')

async function describe(
  zip: ZipFile,
  job: Job,
  resources: Resource[],
  first: PageList['first'],
): Promise<void> {
  const description = JSON.stringify(
    {
      profile: 'data-package',
      wacz_version: '1.1.1',
      title: `kscrape job ${chosenId(job.id)}`,
      software: 'kscrape',
      ...(first && { mainPageUrl: first.url, mainPageDate: first.ts }),
      created: new Date(job.finishedAt ?? job.startedAt ?? job.createdAt).toISOString(),
      resources,
    },
    null,
    2,
  )
  await zip.add('datapackage.json', description)
  const digest = { path: 'datapackage.json', hash: sha256(description) }
  await zip.add('datapackage-digest.json', JSON.stringify(digest, null, 2))
}
