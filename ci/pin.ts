// Pins what is built from others' work: the base image by digest, packages by hash. Needs the network.
//   node ci/pin.ts          writes Dockerfile and package-lock.json
//   node ci/pin.ts --check  writes nothing, and fails where something is not pinned
import { readFile, writeFile } from 'node:fs/promises'

type Ask = (url: string, init?: RequestInit) => Promise<Response>

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]

/** Every stage that starts from an official image gets the digest of its tag. */
export async function pinDockerfile(text: string, ask: Ask): Promise<string> {
  const images = new Set([...text.matchAll(/^FROM ([a-z]+:[\w.-]+)/gm)].map(([, image]) => image!))
  let pinned = text
  for (const image of images) {
    const digest = await digestOf(image, ask)
    pinned = pinned.replace(
      new RegExp(`^FROM ${RegExp.escape(image)}(@sha256:[0-9a-f]+)?(?=\\s)`, 'gm'),
      `FROM ${image}@${digest}`,
    )
  }
  return pinned
}

async function digestOf(image: string, ask: Ask): Promise<string> {
  const [name, tag] = image.split(':') as [string, string]
  const scope = `service=registry.docker.io&scope=repository:library/${name}:pull`
  const { token } = (await answer(ask, `https://auth.docker.io/token?${scope}`).then(got => got.json())) as {
    token: string
  }
  const url = `https://registry-1.docker.io/v2/library/${name}/manifests/${tag}`
  const headers = { authorization: `Bearer ${token}`, accept: manifestTypes.join(', ') }
  const digest = (await answer(ask, url, { method: 'HEAD', headers })).headers.get('docker-content-digest')
  if (!/^sha256:[0-9a-f]{64}$/.test(digest ?? '')) throw new Error(`${image}: no digest but "${digest}"`)
  return digest!
}

interface LockEntry {
  version: string
  link?: boolean
  resolved?: string
  integrity?: string
}

/** Adds the hash of the registry to entries without one. Those that it does not have are named in `missing`. */
export async function pinLockfile(text: string, ask: Ask): Promise<{ text: string; missing: string[] }> {
  const lock = JSON.parse(text) as { packages: Record<string, LockEntry> }
  const missing: string[] = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.link || entry.integrity) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const got = await ask(`https://registry.npmjs.org/${name}/${entry.version}`)
    if (got.status === 404) missing.push(`${name}@${entry.version}`)
    else {
      const { dist } = (await good(got).json()) as { dist: { tarball: string; integrity: string } }
      const { version, ...rest } = entry
      lock.packages[path] = { version, resolved: dist.tarball, integrity: dist.integrity, ...rest }
    }
  }
  return { text: `${JSON.stringify(lock, null, 2)}\n`, missing }
}

const answer = async (ask: Ask, url: string, init?: RequestInit): Promise<Response> =>
  good(await ask(url, init))

function good(response: Response): Response {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`)
  return response
}

async function main(isCheck: boolean): Promise<void> {
  const root = new URL('../', import.meta.url)
  const files = [new URL('Dockerfile', root), new URL('package-lock.json', root)] as const
  const [dockerfile, lockfile] = (await Promise.all(files.map(file => readFile(file, 'utf8')))) as [
    string,
    string,
  ]
  const lock = await pinLockfile(lockfile, fetch)
  const pinned = [await pinDockerfile(dockerfile, fetch), lock.text]
  for (const name of lock.missing)
    console.error(`the registry has no ${name}: npm does not install it either`)
  const changed = files.filter((_, index) => pinned[index] !== [dockerfile, lockfile][index])
  for (const file of changed) console.error(`${isCheck ? 'not pinned' : 'pinned'}: ${file.pathname}`)
  if (isCheck) process.exitCode = changed.length > 0 ? 1 : 0
  else for (const file of changed) await writeFile(file, pinned[files.indexOf(file)]!)
}

if (import.meta.main) await main(process.argv.includes('--check'))
