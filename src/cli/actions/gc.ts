// The action of kscrape gc.
import type { Settings } from '../../config/settings.ts'
import { formatBytes } from '../../lib/text/units.ts'
import { Failure } from '../../model/failures.ts'
import { type FreedByKind, keptKinds } from '../../model/policy/retention.ts'
import { applyRetentionAt } from '../../roles/maintenance/retention-at.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { serviceFor } from '../service.ts'
import { table } from '../show/job-tables.ts'

export async function collect(flags: CommonFlags & { dryRun?: boolean; compact?: boolean }): Promise<void> {
  const dryRun = Boolean(flags.dryRun)
  const options = { dryRun, compact: Boolean(flags.compact) }
  if (options.dryRun && options.compact)
    throw new Failure(
      'input.invalid',
      '--dry-run changes nothing, but --compact rewrites the store file; use only one of them',
    )
  const service = await serviceFor(flags)
  const { settings } = await settingsFor(flags)
  const freed = service
    ? await service.deleteExpired(options)
    : await applyRetentionAt(whereOf(flags, settings), options)
  if (flags.json) return printJson({ dry_run: dryRun, freed })
  print(
    table(
      ['kind', dryRun ? 'would be removed' : 'removed', 'size'],
      keptKinds.map(kind => rowOf(kind, freed)),
    ),
  )
}

/** The flag --data-dir has precedence over DATABASE_URL of the environment. */
const whereOf = (flags: CommonFlags, settings: Settings): Settings =>
  flags.dataDir === undefined ? settings : { ...settings, databaseUrl: undefined }

const rowOf = (kind: keyof FreedByKind, freed: FreedByKind): string[] => {
  const { removed, bytes } = freed[kind]
  return [kind, String(removed), bytes > 0 ? formatBytes(bytes) : '']
}
