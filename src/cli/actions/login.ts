// The actions of kscrape login and sessions: waits for the user's login, and shows sessions without their values.

import { chmod, writeFile } from 'node:fs/promises'
import { windowEnvironment } from '../../config/load.ts'
import { readTextFile } from '../../lib/text/text-file.ts'
import { countOf } from '../../lib/text/units.ts'
import { Failure } from '../../model/failures.ts'
import { webUrl } from '../../model/job.ts'
import type { StorageState } from '../../model/policy/rendering.ts'
import { logIn } from '../../roles/local/log-in.ts'
import { openSessions, type SessionInfo, stateInFile } from '../../roles/sessions.ts'
import { exitCodes } from '../exit-codes.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { table } from '../show/job-tables.ts'
import { safe, talkOn } from '../talk.ts'

export async function login(
  name: string,
  url: string | undefined,
  flags: CommonFlags & { allowPrivate?: string[] },
): Promise<void> {
  const { settings } = await settingsFor(flags)
  const { say, tell } = talkOn(process.stderr, flags)
  using enter = new Enter()
  const state = await logIn({
    name,
    url: await startOf(settings.dataDir, name, url),
    settings,
    environment: windowEnvironment(),
    opened: () => say('A browser is open: log in there, then close its window or press Enter here.'),
    done: enter.pressed,
  })
  if (state) {
    tell({ session: name, cookies: state.cookies.length, origins: state.origins.length })
    return say(`stored ${holds(state)} as "${name}"; use it with --session ${name}`)
  }
  process.stderr.write(`kscrape: nothing was stored as "${name}": the site set no cookies and no storage\n`)
  process.exitCode = exitCodes.error
}

/** The page to open. Without a URL, opens the first site for which the existing session has storage. */
async function startOf(dataDir: string, name: string, url: string | undefined): Promise<string> {
  if (url !== undefined) return checkedUrl(url)
  const known = (await openSessions(dataDir).load(name))?.origins[0]?.origin
  if (known !== undefined) return known
  throw new Failure('input.invalid', `login ${name} needs a URL: kscrape login ${name} URL`)
}

function checkedUrl(url: string): string {
  const parsed = webUrl.safeParse(url)
  if (parsed.success) return parsed.data
  throw new Failure('input.invalid', `"${url}" is not ${parsed.error.issues[0]!.message}`, { url })
}

/** Waits for a line on stdin. If stdin is closed, the promise never resolves. */
class Enter implements Disposable {
  readonly pressed: Promise<void>

  constructor() {
    this.pressed = new Promise(resolve => {
      process.stdin.on('data', text => text.includes('\n') && resolve())
    })
  }

  [Symbol.dispose](): void {
    process.stdin.destroy()
  }
}

export const holds = ({ cookies, origins }: StorageState): string => {
  const sites = new Set(cookies.map(({ domain }) => domain.replace(/^\./, '')))
  const where = sites.size > 0 ? ` of ${[...sites].slice(0, 5).join(', ')}` : ''
  const storage = origins.length > 0 ? ` and the storage of ${countOf(origins.length, 'site')}` : ''
  return `${countOf(cookies.length, 'cookie')}${where}${storage}`
}

export async function listSessions(flags: CommonFlags): Promise<void> {
  const sessions = await sessionsOf(flags).then(each => each.list())
  if (flags.json) for (const session of sessions) printJson(factsOf(session))
  else print(table(['session', 'saved', 'contains'], sessions.map(rowOf)))
}

const rowOf = ({ name, savedAt, state }: SessionInfo): string[] => [
  name,
  new Date(savedAt).toISOString().slice(0, 19).replace('T', ' '),
  safe(holds(state)),
]

export async function showSession(name: string, flags: CommonFlags): Promise<void> {
  const session = (await sessionsOf(flags).then(each => each.list())).find(each => each.name === name)
  if (!session) throw unknown(name)
  if (flags.json) return printJson(factsOf(session))
  print(`${name}  ${holds(session.state)}`)
  for (const { name: cookie, domain, path, expires } of session.state.cookies)
    print(
      `  cookie   ${safe(cookie)}  ${safe(domain + path)}  ${expires === -1 ? 'without expiry' : `until ${dayOf(expires)}`}`,
    )
  for (const { origin, localStorage } of session.state.origins)
    print(`  storage  ${safe(origin)}  ${countOf(localStorage.length, 'value')}`)
}

const dayOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 10)

/** The session without secrets: only names and expiry times, because a cookie value is as sensitive as a password. */
export const factsOf = ({ name, savedAt, state }: SessionInfo) => ({
  session: name,
  kept_at: new Date(savedAt).toISOString(),
  cookies: state.cookies.map(({ name: cookie, domain, path, expires }) => ({
    name: cookie,
    domain,
    path,
    expires,
  })),
  storage: state.origins.map(({ origin, localStorage }) => ({ origin, entries: localStorage.length })),
})

/** Stores a session from a file. It replaces a session of the same name. */
export async function importSession(name: string, file: string, flags: CommonFlags): Promise<void> {
  const text = readTextFile(file)
  const state = stateInFile(text)
  await sessionsOf(flags).then(each => each.save(name, state))
  const { say, tell } = talkOn(process.stderr, flags)
  tell({ session: name, cookies: state.cookies.length, origins: state.origins.length })
  say(`stored ${holds(state)} as "${name}"; use it with --session ${name}`)
  if (/"indexedDB"\s*:\s*\[\s*\{/.test(text))
    process.stderr.write(
      'kscrape: warning: sessions store only cookies and local storage; indexedDB was not stored\n',
    )
}

export async function exportSession(name: string, flags: CommonFlags & { output: string }): Promise<void> {
  const state = await sessionsOf(flags).then(each => each.load(name))
  if (state === null) throw unknown(name)
  await writeFile(flags.output, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
  await chmod(flags.output, 0o600)
  const { say, tell } = talkOn(process.stderr, flags)
  tell({ session: name, path: flags.output, cookies: state.cookies.length, origins: state.origins.length })
  say(`wrote ${holds(state)} to ${flags.output}; anyone who has this file is logged in`)
}

export async function removeSession(name: string, flags: CommonFlags): Promise<void> {
  if (!(await sessionsOf(flags).then(each => each.remove(name)))) throw unknown(name)
  talkOn(process.stderr, flags).say(`deleted the session "${name}"`)
}

const unknown = (name: string): Failure =>
  new Failure(
    'input.invalid',
    `there is no session "${name}"; \`kscrape sessions list\` shows the sessions`,
    { name },
  )

const sessionsOf = async (flags: CommonFlags) => openSessions((await settingsFor(flags)).settings.dataDir)
