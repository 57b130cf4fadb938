// The actions of kscrape backup and kscrape restore.
import { resolve } from 'node:path'
import { formatBytes } from '../../lib/text/units.ts'
import { readBundle } from '../../maintain/backup/bundle.ts'
import { type Restored, restoreBackup } from '../../maintain/backup/restore-backup.ts'
import { writeBackup } from '../../maintain/backup/write-backup.ts'
import { Failure } from '../../model/failures.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { printJson } from '../print.ts'
import { safe, type Talk, talkOn } from '../talk.ts'

const lineMs = 1_000

/** Prints progress at most once a second. */
function seldom(talk: Talk): (text: string, facts: Record<string, unknown>) => void {
  let last = Date.now()
  return (text, facts) => {
    if (Date.now() - last < lineMs) return
    last = Date.now()
    talk.say(text)
    talk.tell(facts)
  }
}

const pieces = { store: 'the store', files: 'written', check: 'checked' }

export async function backUp(target: string, flags: CommonFlags & { force?: boolean }): Promise<void> {
  const talk = talkOn(process.stderr, flags)
  const say = seldom(talk)
  const done = await writeBackup(
    await embeddedDir(flags),
    target,
    { force: Boolean(flags.force) },
    {
      tell: ({ piece, done, total }) =>
        say(`${pieces[piece]}: ${Math.floor((100 * done) / Math.max(1, total))} %`, { piece, done, total }),
      complain: text => {
        talk.say(`${talk.colors.yellow('note')} ${safe(text)}`)
        talk.tell({ note: text })
      },
    },
  )
  if (flags.json) return printJson(mapKeys(done, snake))
  talk.say(`${done.file}: ${done.files} files, ${formatBytes(done.bytes)}, read again and verified`)
  if (done.gone > 0) talk.say(`${done.gone} files were deleted during the backup and are not in it`)
}

/** The data directory of --data-dir; without this flag, the data directory of the settings. Throws if the settings name a
 *  database, because then the data is elsewhere. */
async function embeddedDir(flags: CommonFlags): Promise<string> {
  const { settings } = await settingsFor(flags)
  if (flags.dataDir !== undefined || settings.databaseUrl === undefined) return settings.dataDir
  throw new Failure(
    'input.invalid',
    'DATABASE_URL is set, so jobs are in PostgreSQL and pages in S3: back those up with their own tools (pg_dump, versioned buckets; docs/backup-retention-erasure.md), or name a data directory with --data-dir',
  )
}

export async function restore(
  file: string,
  flags: CommonFlags & { force?: boolean; check?: boolean },
): Promise<void> {
  const talk = talkOn(process.stderr, flags)
  if (flags.check) return check(resolve(file), flags, talk)
  const say = seldom(talk)
  const done = await restoreBackup(resolve(file), await embeddedDir(flags), {
    force: Boolean(flags.force),
    tell: ({ done, file: name }) => say(`${formatBytes(done)} unpacked, ${safe(name)}`, { done, file: name }),
  })
  if (flags.json) printJson(mapKeys(done, snake))
  else talk.say(summaryOf(done))
}

async function check(file: string, flags: CommonFlags, talk: Talk): Promise<void> {
  const { note, files } = await readBundle(file)
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0)
  if (flags.json) return printJson({ file, created_at: note.createdAt, files: files.length, bytes })
  talk.say(
    `${file}: complete; ${files.length} files, ${formatBytes(bytes)}, of ${note.dataDir} at ${note.createdAt}`,
  )
}

function summaryOf({ dataDir, createdAt, files, bytes, unended }: Restored): string {
  const restored = `${dataDir} is restored to ${createdAt}: ${files} files, ${formatBytes(bytes)}`
  if (unended.length === 0) return restored
  const named = unended.slice(0, 5).join(', ') + (unended.length > 5 ? ', …' : '')
  return `${restored}\n${unended.length} jobs had not ended (${named}); to continue them, run \`kscrape jobs resume JOB\` or start the service`
}
