// WACZ: raw pages, index and page list of a job in one file for replay tools.
import { createHash } from 'node:crypto'
import { chosenId } from '../../model/ids.ts'
import type { Job } from '../../model/job.ts'
import { type CdxLine, cdxLines, cdxText } from './cdxj.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import { warcChunks } from './warc.ts'
import { ZipFile } from './zip.ts'

/** Well below the limit of a ZIP entry, and small enough to read at once. */
const fileBytes = 1024 * 1024 * 1024

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
  const pages: CdxLine[] = []
  for await (const { name, hash, bytes, lines } of archives(source, zip)) {
    resources.push({ name, path: `archive/${name}`, hash, bytes })
    indexed.push(cdxText(lines, name))
    pages.push(...lines)
    onProgress({ rows: pages.length, bytes: sink.bytes })
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
  await add('pages/pages.jsonl', pagesText(pages))
  await describe(zip, source.job, resources)
  await zip.finish()
  return pages.length
}

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

interface Archive {
  name: string
  hash: string
  bytes: number
  lines: CdxLine[]
}

/** Split into files of bounded size; records are never split. */
async function* archives(source: ExportSource, zip: ZipFile): AsyncGenerator<Archive> {
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
    lines.push(...cdxLines(chunk, at))
    digest.update(chunk)
    await zip.write(chunk)
    at += chunk.length
  }
  yield await close()
}

/** Each is sorted; together they are again. */
const merged = (texts: string[]): string =>
  texts.length === 1
    ? texts[0]!
    : texts
        .flatMap(text => text.split(/(?<=\n)/))
        .map(line => Buffer.from(line))
        .sort(Buffer.compare)
        .join('')

/** Only successful pages. */
function pagesText(lines: CdxLine[]): string {
  const head = { format: 'json-pages-1.0', id: 'pages', title: 'All pages' }
  const pages = lines
    .filter(({ mime, status }) => status === 200 && /html/.test(mime))
    .map(({ url, timestamp }, index) => ({ id: String(index + 1), url, ts: isoOf(timestamp) }))
  return [head, ...pages].map(line => `${JSON.stringify(line)}\n`).join('')
}

const isoOf = (digits: string): string =>
  digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z')

async function describe(zip: ZipFile, job: Job, resources: Resource[]): Promise<void> {
  const description = JSON.stringify(
    {
      profile: 'data-package',
      wacz_version: '1.1.1',
      title: `kscrape job ${chosenId(job.id)}`,
      software: 'kscrape',
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
