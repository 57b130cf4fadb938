// Does a crawl find every page of real documentation, compared with wget? --only NAME --root FOLDER
import { spawn } from 'node:child_process'
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { today } from './measuring/machine.ts'
import { markdownTable } from './measuring/statistics.ts'
import { compareSites, readWgetLog, type Seen } from './real-sites/compare.ts'

const { values: flags } = parseArgs({
  options: { only: { type: 'string', default: '' }, root: { type: 'string', default: '/' } },
})

/** Debian packages with a site in HTML, and where they install it. */
const sites = {
  'python3.11-doc': 'usr/share/doc/python3.11/html',
  'sqlite3-doc': 'usr/share/doc/sqlite3',
  'postgresql-doc-15': 'usr/share/doc/postgresql-doc-15/html',
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.txt': 'text/plain',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
}

function serve(root: string) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname))
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path)
    const found = existsSync(file) ? statSync(file) : null
    if (!found) return notFound(response)
    if (found.isDirectory()) return void response.writeHead(301, { location: `${path}/` }).end()
    const type = types[extname(file)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'content-length': found.size })
    createReadStream(file).pipe(response)
  })
  return server
}

const notFound = (response: ServerResponse): void =>
  void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')

/** Both programs exit with an error if some links are broken, so the code is ignored. */
async function run(command: string, words: string[], cwd: string): Promise<void> {
  const child = spawn(command, words, { cwd, stdio: 'ignore' })
  await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))
}

async function crawledBy(place: string, folder: string): Promise<Seen> {
  const program = join(import.meta.dirname, '../kscrape')
  const words = ['crawl', `http://${place}/`, '--rate', 'unlimited', '--concurrency', '20']
  await run(program, [...words, '--allow-private', place, '--data-dir', 'data', '-o', 'pages.jsonl'], folder)
  const records = (await readFile(join(folder, 'pages.jsonl'), 'utf8')).trimEnd().split('\n')
  const pages = records.map(line => (JSON.parse(line) as { url: string }).url)
  using store = disposable(new DatabaseSync(join(folder, 'data/store.sqlite'), { readOnly: true }))
  const tasks = store.value.prepare('SELECT url FROM tasks').all() as Array<{ url: string }>
  return { pages: new Set(pages), asked: new Set(tasks.map(({ url }) => url)) }
}

const disposable = (value: DatabaseSync) => ({ value, [Symbol.dispose]: () => value.close() })

async function wgetOf(place: string, folder: string): Promise<Seen> {
  await run('wget', ['-r', '-l', 'inf', '-nv', '-o', 'log', '-P', 'copy', `http://${place}/`], folder)
  return readWgetLog(await readFile(join(folder, 'log'), 'utf8'))
}

const rows: string[][] = []
for (const [name, path] of Object.entries(sites)) {
  if (!name.includes(flags.only)) continue
  const root = join(flags.root, path)
  if (!existsSync(root))
    throw new Error(
      `${root} does not exist: run apt-get install ${name}, or unpack it and give the folder with --root`,
    )
  const folder = mkdtempSync(join(tmpdir(), 'real-site-'))
  const server = serve(root)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const theirs = await wgetOf(place, folder)
    const ours = await crawledBy(place, folder)
    const { missed, more, brokenMissed } = compareSites(ours, theirs)
    for (const url of [...missed, ...brokenMissed]) console.error(`${name}: wget has ${url}`)
    if (missed.length > 0) process.exitCode = 1
    const counts = [theirs.pages.size, ours.pages.size, missed.length, more.length, brokenMissed.length]
    rows.push([name, ...counts.map(String)])
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  }
}
const head = [
  'package',
  'pages of wget',
  'records of kscrape',
  'pages that kscrape did not request',
  'pages only in kscrape',
  'broken links that kscrape missed',
]
console.log(`${today()}\n\n${markdownTable(head, rows)}`)
