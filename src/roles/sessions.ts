// Named sessions: cookies and storage in one sealed file each, readable only by the owner.
import { createHash } from 'node:crypto'
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSealer } from '../adapters/fs/sealer.ts'
import { parseCookieFile, parseStoredOrigins, stateCookie } from '../fetch/http/index.ts'
import { defaultWorkspace } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import { id, idOfWorkspace, isStoredId } from '../model/ids.ts'
import type { Job } from '../model/job.ts'
import type { StorageState } from '../model/policy/rendering.ts'
import type { Sealer } from '../ports/secrets.ts'

export interface SessionInfo {
  name: string
  savedAt: number
  state: StorageState
}

export interface Sessions {
  /** Null if there is no session of that name. Omits expired cookies. */
  load(name: string): Promise<StorageState | null>
  save(name: string, state: StorageState): Promise<void>
  /** Reads, changes and writes the session. A concurrent change by another lane is not lost. */
  change(name: string, change: (state: StorageState) => StorageState): Promise<void>
  list(): Promise<SessionInfo[]>
  /** False if there was no session of that name. */
  remove(name: string): Promise<boolean>
}

const none: StorageState = { cookies: [], origins: [] }

/** The stored name of a job's session. Two workspaces may use the same name for different sessions. */
export function sessionOf({ workspace, spec }: Pick<Job, 'workspace' | 'spec'>): string | undefined {
  return spec.session === undefined ? undefined : nameIn(workspace, spec.session)
}

/** The stored name of a session in a workspace. In the workspace `default`, it is the name itself. In other workspaces, it
 *  contains `~`, which callers cannot use in names. So sessions of two workspaces never have the same stored name. The hash
 *  shortens names that are too long for a file. */
export function nameIn(workspace: string, session: string): string {
  if (workspace === defaultWorkspace) return session
  const own = createHash('sha256')
    .update(JSON.stringify([workspace, session]))
    .digest('hex')
  return idOfWorkspace(session.slice(0, 80), own.slice(0, 32))
}

export function openSessions(dataDir: string, sealer: Sealer = openSealer(dataDir)): Sessions {
  const folder = join(resolve(dataDir), 'sessions')
  const fileOf = (name: string) => join(folder, `${sessionName(name)}.json`)
  const load = async (name: string) => {
    const text = await readFile(fileOf(name), 'utf8').catch(orNull)
    return text === null ? null : stateIn(openedText(sealer, text, name), name, fileOf(name))
  }
  return {
    load,
    save: (name, state) =>
      underLock(folder, name, () => write(fileOf(name), sealedText(sealer, state, name))),
    change: (name, change) =>
      underLock(folder, name, async () =>
        write(fileOf(name), sealedText(sealer, change((await load(name)) ?? none), name)),
      ),
    list: async () => {
      const names = (await readdir(folder).catch(orNull)) ?? []
      return Promise.all(
        names
          .filter(name => name.endsWith('.json'))
          .map(name => name.slice(0, -'.json'.length))
          .sort()
          .map(name => infoOf(name, fileOf(name), load)),
      )
    },
    remove: async name => {
      const known = (await stat(fileOf(name)).catch(orNull)) !== null
      await rm(fileOf(name), { force: true })
      return known
    },
  }
}

/** Reads a file with Playwright's `storageState`, a cookies.txt, or the export of a browser extension. */
export const stateInFile = (text: string): StorageState => ({
  cookies: parseCookieFile(text).map(stateCookie),
  origins: parseStoredOrigins(text),
})

/** Sealed like the headers of jobs, so a copy of the folder is useless without the key. */
const sealedText = (sealer: Sealer, state: StorageState, name: string): string =>
  `${JSON.stringify({ sealed: sealer.seal(JSON.stringify(state), ownerOf(name)) })}\n`

/** A file from a version without sealing is plain text. The next change seals it. */
function openedText(sealer: Sealer, text: string, name: string): string {
  const sealed = /^\{"sealed":"([\w-]+)"\}\s*$/.exec(text)?.[1]
  return sealed === undefined ? text : sealer.open(sealed, ownerOf(name))
}

const ownerOf = (name: string): string => `session ${name}`

async function infoOf(name: string, file: string, load: Sessions['load']): Promise<SessionInfo> {
  const { mtimeMs } = await stat(file)
  return { name, savedAt: mtimeMs, state: (await load(name)) ?? none }
}

/** Returns the stored name if it is valid; otherwise throws the reason. */
export function sessionName(name: string): string {
  if (isStoredId(name)) return name
  const parsed = id.safeParse(name)
  if (parsed.success) return parsed.data
  throw new Failure(
    'input.invalid',
    `"${name}" is not a valid name for a session: ${parsed.error.issues.map(issue => issue.message).join('; ')}`,
    { name },
  )
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

function stateIn(text: string, name: string, file: string): StorageState {
  try {
    return withoutOld(JSON.parse(text) as StorageState)
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `the session "${name}" can't be read: ${file} has no cookies and storage; delete it with \`kscrape sessions rm ${name}\``,
      { name, file },
      { cause },
    )
  }
}

/** Removes expired cookies. */
export function withoutOld({ cookies, origins }: StorageState): StorageState {
  const now = Date.now() / 1_000
  return {
    cookies: cookies.filter(({ expires }) => expires === -1 || expires > now),
    origins: [...origins],
  }
}

/** Writes atomically. The file is never readable by other users, not even for a moment. */
async function write(file: string, text: string): Promise<void> {
  const aside = `${file}.${process.pid}.new`
  await using handle = await open(aside, 'w', 0o600)
  await chmod(aside, 0o600)
  await handle.writeFile(text)
  await handle.sync()
  await rename(aside, file)
}

/** A lock that is older than this belongs to a process that died. */
const staleMs = 10_000
const lookAgainMs = 20

async function underLock<Value>(folder: string, name: string, work: () => Promise<Value>): Promise<Value> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = join(folder, `${sessionName(name)}.lock`)
  while (!(await taken(lock))) await sleep(lookAgainMs)
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const held = await stat(lock).catch(orNull)
    if (held && Date.now() - held.mtimeMs > staleMs) await rm(lock, { force: true })
    return false
  }
}
