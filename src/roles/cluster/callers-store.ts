// The store as whoever serves callers has it: each question is asked on behalf of a workspace, and shown nothing else.
import { AsyncLocalStorage } from 'node:async_hooks'
import { canKeepApart } from '../../adapters/postgres/open.ts'
import { allWorkspaces } from '../../adapters/postgres/workspace-guard.ts'
import type { Settings } from '../../config/settings.ts'
import type { Store } from '../../ports/store.ts'
import type { Log, Within } from '../../server/parts.ts'
import { needed, openStore } from './services.ts'

const noRole =
  'PostgreSQL does not keep workspaces apart by itself: the user of DATABASE_URL may not take on the role kscrape_guarded (docs/security.md)'

export async function openCallersStore(
  opened: AsyncDisposableStack,
  settings: Settings,
  log: Log,
): Promise<{ store: Store; within: Within }> {
  if (!(await canKeepApart(needed(settings, 'databaseUrl')))) {
    log.warn({}, noRole)
    return { store: opened.use(await openStore(settings)), within: (_workspace, work) => work() }
  }
  // What no caller asked for, like measurements, is about all of them.
  const asking = new AsyncLocalStorage<string>()
  const workspace = () => asking.getStore() ?? allWorkspaces
  return {
    store: opened.use(await openStore(settings, { workspace })),
    within: (name, work) => asking.run(name ?? allWorkspaces, work),
  }
}
