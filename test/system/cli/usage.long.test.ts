// Tests the messages for invalid commands: they name what is wrong, its value and the remedy, and the exit code is 2.
import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { Workplace } from '../run-cli.ts'

let place: Workplace

before(async () => {
  place = await Workplace.open()
  const files: Record<string, string> = {
    'urls.txt': 'https://example.com/\n',
    'bad-rules.yaml': 'fields:\n  price: { css: .price, as: mony }\n',
    'empty.yaml': '',
    'typo.yaml': 'seed_url: [https://example.com/]\ndept: 2\n',
    'nested.yaml': 'seed_urls: [https://example.com/]\npolicy: { retries: { attempt: 2 } }\n',
    'both.yaml': 'seed_urls: [https://example.com/]\nurls: [https://example.com/]\n',
    'render.yaml': 'seed_urls: [https://example.com/]\nrender: never\nrendering: { screenshot: true }\n',
    'broken.yaml': '{ a: [',
    'webhook.yaml': 'seed_urls: [https://example.com/]\nwebhook_url: http://10.0.0.1/hook\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(place.file(name), text)
  await mkdir(place.file('folder.csv'))
})

after(() => place[Symbol.asyncDispose]())

const crawl = (...flags: string[]) => ['crawl', 'https://example.com/', ...flags]
const create = (file: string) => ['jobs', 'create', file]

/** All of these commands are refused before any request is sent. */
const refused: Array<[string[], RegExp]> = [
  [['frob'], /unknown command 'frob'/],
  [['crwl', 'https://example.com'], /unknown command 'crwl'\n\(Did you mean crawl\?\)/],
  [['crawl'], /missing required argument 'url'/],
  [['map', 'https://a.example', 'https://b.example'], /too many arguments/],
  [crawl('--detph', '3'), /unknown option '--detph'\n\(Did you mean --depth\?\)/],
  [crawl('--stealth'), /unknown option '--stealth' \(use --browser stealth\)/],
  [['run', 'https://example.com/'], /is a URL; use `kscrape crawl https:\/\/example\.com\/`/],
  [['run', 'url.txt'], /url\.txt can't be read: there is no such file \(did you mean "urls\.txt"\?\)/],
  [
    ['localhost:3000'],
    /^kscrape: localhost:3000 has no scheme; using http:\/\/localhost:3000\/\n.*--allow-private localhost:3000/,
  ],
  [['scrape', 'ftp://example.com/'], /"ftp:\/\/example\.com\/" is ftp, and only http and https/],
  [['scrape', 'what is this'], /"what is this" is not a URL; write it like https:/],
  [['crawl', 'urls.txt'], /"urls\.txt" is a file; `kscrape run urls\.txt`/],
  [
    ['scrape', 'http://127.0.0.1:9/'],
    /^kscrape: 127\.0\.0\.1:9 is not a public address; --allow-private 127\.0\.0\.1:9/,
  ],
  [crawl('--rate', 'fast'), /--rate: "fast" is not a rate; write it like 2\/s/],
  [crawl('--rate', '0'), /--rate: "0" is not a rate/],
  [crawl('--timeout', '5'), /--timeout: "5" is not a duration \(did you mean 5s\?\)/],
  [crawl('--depth', '-1'), /--depth: "-1" is not a whole number from 0 to 1000/],
  [crawl('--max-pages', '1e3'), /--max-pages: "1e3" is not a whole number from 1/],
  [
    crawl('--sitemap', 'includ'),
    /--sitemap: "includ" is not one of include, skip, only \(did you mean "include"\?\)/,
  ],
  [crawl('--include', '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'), /the glob .* more than 256/],
  [crawl('--allow-domain', 'a b'), /allowed_domains\[0\]: a host name like/],
  [crawl('--header', 'a b: c'), /--header "a b: c" is not like "Accept-Language: de"/],
  [crawl('--cookies', 'none.txt'), /none\.txt can't be read/],
  [crawl('--extract', 'none.yaml'), /none\.yaml can't be read/],
  [crawl('--extract', 'bad-rules.yaml'), /bad-rules\.yaml:2:\d+: fields\.price\.as: .*did you mean "money"/],
  [crawl('--job', '../x'), /job_id: /],
  [crawl('-o', 'out.docx'), /output out\.docx: .*\.jsonl \.json \.csv/],
  [crawl('-o', 'folder.csv'), /output .*folder\.csv can't be written: it is a folder/],
  [crawl('-o', 'urls.txt/out.csv'), /output .*out\.csv can't be written: a part of its path is a file/],
  [crawl('-o', 'a.csv', '-o', './a.csv'), /a\.csv is named twice/],
  [['run', 'none.txt'], /none\.txt can't be read: there is no such file/],
  [['run', 'folder.csv'], /folder\.csv can't be read: it is a folder/],
  [['run', 'urls.txt', '--scraper', 'pgae'], /no scraper is called "pgae" \(did you mean "page"\?\)/],
  [
    create('typo.yaml'),
    /seed_url: unknown; did you mean "seed_urls"\?; dept: unknown; did you mean "depth"\?/,
  ],
  [create('nested.yaml'), /policy\.retries\.attempt: unknown; did you mean "attempts"/],
  [create('both.yaml'), /exactly one of urls, items, seed_urls.*this one has urls and seed_urls/],
  [create('render.yaml'), /render is never, but screenshot needs the browser/],
  [create('webhook.yaml'), /webhook_url: 10\.0\.0\.1:80 is not a public address/],
  [create('empty.yaml'), /empty\.yaml is not a job: it needs fields, such as "seed_urls:/],
  [create('broken.yaml'), /broken\.yaml is neither YAML nor JSON: .* line 1, column/],
  [['jobs', 'list', '--state', 'done'], /--state: "done" is not one of pending, running/],
  [['jobs', 'list', '--limit', 'all'], /--limit: "all" is not a whole number/],
  [['jobs', 'frob'], /unknown command 'frob'/],
  [['demo-site', '--port', '70000'], /--port: "70000" is not/],
]

for (const [args, message] of refused) {
  test(`kscrape ${args.join(' ')} fails with an error message`, async () => {
    const { code, stdout, stderr } = await place.run(args)
    assert.match(stderr, message)
    assert.ok(stderr.startsWith('kscrape: '), stderr)
    assert.deepEqual([code, stdout], [2, ''])
  })
}

test('without arguments the help is printed to stderr, with exit code 2', async () => {
  const { code, stdout, stderr } = await place.run([])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^Usage: kscrape \[URL \| command\]/)
})

test('--help and --version print to stdout', async () => {
  const help = await place.run(['crawl', '--help'])
  assert.deepEqual([help.code, help.stderr], [0, ''])
  assert.match(help.stdout, /--max-pages <n>/)
  const version = await place.run(['--version'])
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  const docs = await place.run(['docs'])
  assert.match(docs.stdout, /^exit-codes +\S/m)
  assert.match(docs.stdout, /^decisions\/0001-\S+ {2,}\S/m)
})

test('with --json errors are printed as JSON too', async () => {
  const wrongFlag = await place.run(crawl('--rate', 'fast', '--json'))
  assert.deepEqual(JSON.parse(wrongFlag.stderr), {
    level: 'error',
    code: 'input.invalid',
    message: '--rate: "fast" is not a rate; write it like 2/s, 30/m, 100/h or unlimited',
  })
  const wrongUrl = await place.run(['crawl', 'ftp://example.com', '--json'])
  assert.equal(JSON.parse(wrongUrl.stderr).code, 'input.invalid')
})

test('a refused command stores no job', async () => {
  const { stdout, code } = await place.run(['jobs', 'list', '--json'])
  assert.ok(code === 1 || stdout === '', 'a refused job was stored')
})

test('the error for a data directory that cannot be created names the directory', {
  skip: process.getuid?.() === 0 && 'root may write anywhere',
}, async () => {
  await mkdir(place.file('closed'))
  await chmod(place.file('closed'), 0o500)
  const { code, stderr } = await place.run([...crawl(), '--data-dir', 'closed/inside'])
  assert.equal(code, 1)
  assert.match(stderr, /closed\/inside/)
})

test('if the reader closes the pipe while the help is printed, the command ends without an error', async () => {
  await using place = await Workplace.open()
  const help = place.start(['crawl', '--help'])
  help.child.stdout?.destroy()
  const { code, stderr } = await help.ended
  assert.deepEqual([code, stderr], [0, ''])
})
