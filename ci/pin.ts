// Pins what the image contains of other projects: the base image by digest, packages by hash. Needs the network, npm and Docker.
//   node ci/pin.ts          writes Dockerfile and package-lock.json
//   node ci/pin.ts --check  writes nothing, and fails if something is not pinned
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'

/** The digest of an image tag. */
type DigestOf = (image: string) => string
/** The hash of a package; null if its registry has no such package. */
type HashOf = (nameAndVersion: string) => string | null

/** Every stage that starts from an official image gets the digest of its tag. */
export function pinDockerfile(text: string, digestOf: DigestOf): string {
  const images = new Set([...text.matchAll(/^FROM ([a-z]+:[\w.-]+)/gm)].map(([, image]) => image!))
  let pinned = text
  for (const image of images) {
    const digest = digestOf(image)
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image}: no digest but "${digest}"`)
    pinned = pinned.replace(
      new RegExp(`^FROM ${RegExp.escape(image)}(@sha256:[0-9a-f]+)?(?=\\s)`, 'gm'),
      `FROM ${image}@${digest}`,
    )
  }
  return pinned
}

interface LockEntry {
  version: string
  link?: boolean
  integrity?: string
}

/** Adds the hash of the registry to entries without one. Packages that the registry lacks are listed in `missing`. */
export function pinLockfile(text: string, hashOf: HashOf): { text: string; missing: string[] } {
  const lock = JSON.parse(text) as { packages: Record<string, LockEntry> }
  const missing: string[] = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.link || entry.integrity) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const integrity = hashOf(`${name}@${entry.version}`)
    const { version, ...rest } = entry
    if (integrity === null) missing.push(`${name}@${version}`)
    else lock.packages[path] = { version, integrity, ...rest }
  }
  return { text: `${JSON.stringify(lock, null, 2)}\n`, missing }
}

/** Uses the commands of Docker and npm, because they know the configured registries and mirrors. */
const dockerDigest: DigestOf = image =>
  run('docker', ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'])

const npmHash: HashOf = nameAndVersion => {
  try {
    return run('npm', ['view', nameAndVersion, 'dist.integrity']) || null
  } catch (error) {
    if (/E404/.test(String((error as { stderr?: string }).stderr))) return null
    throw error
  }
}

const run = (program: string, words: string[]): string =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

async function main(isCheck: boolean): Promise<void> {
  const root = new URL('../', import.meta.url)
  const files = [new URL('Dockerfile', root), new URL('package-lock.json', root)] as const
  const [dockerfile, lockfile] = (await Promise.all(files.map(file => readFile(file, 'utf8')))) as [
    string,
    string,
  ]
  const lock = pinLockfile(lockfile, npmHash)
  const pinned = [pinDockerfile(dockerfile, dockerDigest), lock.text]
  for (const name of lock.missing)
    console.error(`the registry has no ${name}: npm does not install it either`)
  const changed = files.filter((_, index) => pinned[index] !== [dockerfile, lockfile][index])
  for (const file of changed) console.error(`${isCheck ? 'not pinned' : 'pinned'}: ${file.pathname}`)
  if (isCheck) process.exitCode = changed.length > 0 ? 1 : 0
  else for (const file of changed) await writeFile(file, pinned[files.indexOf(file)]!)
}

if (import.meta.main) await main(process.argv.includes('--check'))
