// Named sessions that all processes of a cluster share. Each is a sealed blob, and one process at a time may change it.
import { Failure } from '../../../model/failures.ts'
import type { StorageState } from '../../../model/policy/rendering.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { UnderLock } from '../../../ports/locks.ts'
import type { Sealer } from '../../../ports/secrets.ts'
import { type Sessions, sessionName, withoutOld } from '../../sessions.ts'

const folder = 'sessions/'
const none: StorageState = { cookies: [], origins: [] }

interface BlobSessionParts {
  blobs: Blobs
  /** Seals the sessions, so that access to the bucket alone reveals no cookies. */
  sealer: Sealer
  underLock: UnderLock
}

const keyOf = (name: string): string => `${folder}${sessionName(name)}.sealed`
const ownerOf = (name: string): string => `session ${name}`

export function openBlobSessions({ blobs, sealer, underLock }: BlobSessionParts): Sessions {
  const load = async (name: string): Promise<StorageState | null> => {
    const sealed = await blobs.get(keyOf(name))
    if (sealed === null) return null
    return withoutOld(stateIn(sealer.open(sealed.toString('utf8'), ownerOf(name)), name))
  }
  const write = (name: string, state: StorageState): Promise<void> =>
    blobs.put(keyOf(name), Buffer.from(sealer.seal(JSON.stringify(state), ownerOf(name))))
  return {
    load,
    save: (name, state) => underLock(keyOf(name), () => write(name, state)),
    change: (name, change) =>
      underLock(keyOf(name), async () => write(name, change((await load(name)) ?? none))),
    list: async () => {
      const kept = await Array.fromAsync(blobs.list(folder))
      return Promise.all(
        kept.map(async ({ key, modifiedAt }) => {
          const name = key.slice(folder.length, -'.sealed'.length)
          return { name, savedAt: modifiedAt, state: (await load(name)) ?? none }
        }),
      )
    },
    remove: async name => {
      const isKnown = (await blobs.size(keyOf(name))) !== null
      await blobs.delete([keyOf(name)])
      return isKnown
    },
  }
}

function stateIn(text: string, name: string): StorageState {
  try {
    return JSON.parse(text) as StorageState
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `the session "${name}" can't be read: ${keyOf(name)} has no cookies and storage`,
      { name },
      { cause },
    )
  }
}
