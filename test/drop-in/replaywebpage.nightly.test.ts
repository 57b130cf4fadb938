// Tests that replayweb.page, unmodified, shows our WACZ: every kind of page looks like the live page. The site is closed before
// the replay.
import assert from 'node:assert/strict'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../src/fetch/browser/index.ts'
import { ZipReader } from '../../src/results/archives/zip-reader.ts'
import { ArchiveSite, archiveKinds } from '../support/archive-site.ts'
import { installedDropIn } from '../support/drop-in.ts'
import { eventually, found } from '../support/eventually.ts'
import { type Running, Workplace } from '../system/run-cli.ts'

const viewerFolder = join(import.meta.dirname, 'replaywebpage-nightly')
const fontFile = join(viewerFolder, 'node_modules/@fortawesome/fontawesome-free/webfonts/fa-solid-900.woff2')
/** The folder for screenshots of live and replayed pages, and for the share of pixels that differ. The nightly workflow keeps it;
 *  the repository does not. */
const pictures = join(import.meta.dirname, '../../test-report/archives')
const mostDifferent = 0.02

interface Listed {
  url: string
  ts: string
}

const kinds = [...archiveKinds, 'fonts']
let place: Workplace
let browser: Browser
let compare: Page
let viewer: Running
let viewerUrl: string
const live = new Map<string, Buffer>()
const listed = new Map<string, Listed>()
const differences: Record<string, number> = {}

before(async () => {
  await installedDropIn('replaywebpage-nightly')
  await mkdir(pictures, { recursive: true })
  place = await Workplace.open()
  const { executablePath } = (await findBrowser({ wants: 'full' }))!
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  compare = await browser.newPage()
  {
    await using site = await ArchiveSite.open({
      '/icons.woff2': { type: 'font/woff2', body: await readFile(fontFile) },
      '/fonts': {
        type: 'text/html',
        body: Buffer.from(
          '<!doctype html><title>Fonts</title><style>@font-face { font-family: icons; src: url(/icons.woff2) } b { font: 900 400px icons }</style><b>&#xf015;&#xf004;</b>',
        ),
      },
    })
    await writeFile(place.file('urls.txt'), kinds.map(kind => `${site.url}/${kind}`).join('\n'))
    const { code, stderr } = await place.run([
      ...['run', 'urls.txt', '--render', 'always', '--archive', '--rate', 'unlimited', '--quiet'],
      ...site.places.flatMap(host => ['--allow-private', host]),
      ...['-o', 'out.jsonl', '-o', 'pages.wacz'],
    ])
    assert.equal(code, 0, stderr)
    for (const kind of kinds) {
      const picture = await livePicture(`${site.url}/${kind}`)
      live.set(kind, picture)
      await writeFile(join(pictures, `${kind}-live.png`), picture)
    }
    for (const page of await pagesIn(place.file('pages.wacz')))
      listed.set(page.url.slice(site.url.length + 1), page)
  }
  viewer = place.start(['archive', 'show', place.file('pages.wacz')], { cwd: viewerFolder })
  viewerUrl = await found('the address of the viewer', () => /^open (\S+)/.exec(viewer.stdout())?.[1])
})
after(async () => {
  await writeFile(join(pictures, 'differences.json'), JSON.stringify(differences, null, 2))
  await browser?.close()
  viewer?.child.kill('SIGTERM')
  await viewer?.ended
  await place?.[Symbol.asyncDispose]()
})

const newPage = () => browser.newPage({ viewport: { width: 1_000, height: 700 } })

async function livePicture(url: string): Promise<Buffer> {
  const page = await newPage()
  await page.goto(url, { waitUntil: 'networkidle' })
  const picture = await page.screenshot()
  await page.close()
  return picture
}

async function pagesIn(file: string): Promise<Listed[]> {
  await using handle = await open(file)
  const zip = await ZipReader.open(handle)
  const lines = (await zip.read(zip.entries.get('pages/pages.jsonl')!)).toString().trim().split('\n')
  return lines.slice(1).map(line => JSON.parse(line) as Listed)
}

/** The share of pixels that differ visibly between the two screenshots. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  return compare.evaluate(
    async ([first, second]) => {
      const pixels = await Promise.all(
        [first!, second!].map(async data => {
          const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
          context.drawImage(bitmap, 0, 0)
          return context.getImageData(0, 0, bitmap.width, bitmap.height).data
        }),
      )
      const [a, b] = pixels as [Uint8ClampedArray, Uint8ClampedArray]
      if (a.length !== b.length) return 1
      let different = 0
      for (let at = 0; at < a.length; at += 4)
        if ([0, 1, 2].some(part => Math.abs(a[at + part]! - b[at + part]!) > 16)) different += 1
      return (different * 4) / a.length
    },
    [one.toString('base64'), other.toString('base64')],
  )
}

test('the screenshots of the live pages differ from each other, so a missing resource would be noticed', async () => {
  assert.ok((await difference(live.get('images')!, live.get('plain')!)) > mostDifferent)
  assert.ok((await difference(live.get('fonts')!, live.get('plain')!)) > mostDifferent)
})

for (const kind of kinds)
  test(`an archived page of the kind "${kind}" looks like the live page`, async () => {
    const { url, ts } = listed.get(kind === 'redirect' ? 'landed' : kind)!
    const page = await newPage()
    const timestamp = ts.replace(/\D/g, '').slice(0, 14)
    await page.goto(
      `${viewerUrl}&embed=replayonly#view=replay&url=${encodeURIComponent(url)}&ts=${timestamp}`,
    )
    await eventually(
      `${kind} differs from the live page; compare the pictures in test-report/archives`,
      async () => {
        const picture = await page.screenshot()
        await writeFile(join(pictures, `${kind}-replayed.png`), picture)
        differences[kind] = await difference(live.get(kind)!, picture)
        return differences[kind] < mostDifferent
      },
    )
    await page.close()
  })
