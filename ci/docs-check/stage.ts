// The environment for the commands of one page: a folder like a checkout, the demo site, a service, and `kscrape` on the path.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startTestSite } from '../../test/site/index.ts'
import { freePort } from '../../test/support/free-port.ts'
import { operatorKey, TestService } from '../../test/support/service.ts'
import { WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { commandsOf, isFile, type Script } from './commands.ts'
import { root } from './markdown.ts'

export interface Stage extends AsyncDisposable {
  folder: string
  /** Replaces the example addresses of the page by those of this environment. */
  here(text: string): string
  environment: Record<string, string>
}

/** Files that no command needs, or that a command writes. */
const leftOut = ['.git', '.kscrape', '.kscrape-demo', '.env', 'coverage', 'examples']

export async function openStage(script: Script): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-docs-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const text = commandsOf(script)
    .filter(({ reason }) => reason === null)
    .map(command => command.text)
    .join('\n')
  const site = opened.use(await startTestSite())
  const ownSite = /demo-site/.test(text) ? await freePort() : null
  const place = ownSite === null ? `${site.host}:${site.port}` : `127.0.0.1:${ownSite}`
  const service = await serviceOf(text, place, opened)
  const here = (example: string) => placed(example, { folder, place, service: service.place })
  await layOut(folder, script, here)
  const environment = { ...environmentOf(folder, place, service.place), ...service.variables }
  const owned = opened.move()
  return { folder, here, environment, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Starts a service for pages that need one, unless the page starts its own. */
async function serviceOf(text: string, place: string, opened: AsyncDisposableStack) {
  const isAsked = /\$SERVER|127\.0\.0\.1:8001|kscrape\.example/.test(text)
  const startsOne = /kscrape serve|run\.ts serve/.test(text)
  if (!isAsked || startsOne) return { place: `127.0.0.1:${await freePort()}`, variables: {} }
  const receiver = opened.use(await WebhookReceiver.open())
  const service = opened.use(
    await TestService.open({
      settings: { allowPrivate: [place, receiver.place], rate: 'unlimited', minFreeBytes: 0 },
    }),
  )
  const variables = /\$WEBHOOK/.test(text) ? await deliveredWebhook(service, receiver, place) : {}
  return { place: new URL(service.url).host, variables }
}

/** Delivers a webhook for pages whose commands read one, and returns the ids of the job and the webhook. */
async function deliveredWebhook(service: TestService, receiver: WebhookReceiver, place: string) {
  const JOB = await service.submit({ urls: [`http://${place}/about`], webhook_url: receiver.url })
  const [sent] = await receiver.has(1)
  return { JOB, WEBHOOK: String(sent!.headers['webhook-id']) }
}

interface Places {
  folder: string
  place: string
  service: string
}

/** Replaces the example hosts of a text by real addresses: `kscrape.example` by the service, all others by the demo site. */
const placed = (example: string, { folder, place, service }: Places): string =>
  example
    .replaceAll('https://kscrape.example', `http://${service}`)
    .replaceAll(/https:\/\/(?:www\.)?(?:example\.com|[a-z-]+\.example)(?![\w.:-])/g, `http://${place}`)
    .replaceAll('127.0.0.1:8080', place)
    .replaceAll(/(--port )8080\b/g, `$1${place.split(':')[1]}`)
    .replaceAll('127.0.0.1:8001', service)
    .replaceAll(/(--port )8001\b/g, `$1${service.split(':')[1]}`)
    .replaceAll('/var/lib/kscrape', join(folder, 'var-lib-kscrape'))
    .replaceAll('a-key-of-16-or-more', operatorKey)

/** Makes the folder look like a checkout, with symbolic links. `examples` is a copy, because commands may change its files. */
async function layOut(folder: string, script: Script, here: (text: string) => string): Promise<void> {
  const entries = (await readdir(root)).filter(name => !leftOut.includes(name))
  await Promise.all(entries.map(name => symlink(join(root, name), join(folder, name))))
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  await mkdir(join(folder, '.programs'))
  await writeFile(join(folder, '.programs/kscrape'), program, { mode: 0o755 })
  for (const [name, text] of Object.entries(await atHand())) await writeFile(join(folder, name), here(text))
  await mkdir(join(folder, '.blocks'))
  for (const { line, text } of script.steps.filter(isFile))
    await writeFile(join(folder, '.blocks', String(line)), here(text))
}

const program = `#!/bin/sh
exec "${process.execPath}" --disable-warning=ExperimentalWarning "${join(root, 'src/cli/kscrape.ts')}" "$@"
`

/** Files that examples expect from the reader: a list of pages, a recording, its rows. */
const atHand = async (): Promise<Record<string, string>> => ({
  'urls.txt': 'http://127.0.0.1:8080/about\nhttp://127.0.0.1:8080/jobs\n',
  'words.csv': 'name\nAda\nGrace\n',
  'search.json': (await readFile(join(root, 'test/recordings/form.json'), 'utf8')).replaceAll(
    'http://demo.example',
    'http://127.0.0.1:8080',
  ),
})

/** The variables that a reader has: the program, a home folder, and addresses. Nothing else is inherited. */
const environmentOf = (folder: string, place: string, service: string): Record<string, string> => ({
  SCRAPER_TRUST: 'on',
  PATH: `${join(folder, '.programs')}:${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: folder,
  SERVER: `http://${service}`,
  KEY: operatorKey,
  SCRAPER_ALLOW_PRIVATE: `${place},${service}`,
  SCRAPER_RATE: 'unlimited',
  SCRAPER_PORT: service.split(':')[1]!,
  // A machine that is busy with other tests must not refuse requests.
  SCRAPER_BUSY_LAG: '0s',
  SCRAPER_MIN_FREE_BYTES: '0',
})
