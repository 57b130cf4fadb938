// kscrape explain: why a URL was fetched, skipped or is waiting.
import { type AddCommand, action } from '../command.ts'
import { type CommonFlags, lookFlags } from '../flags/flags.ts'

export const addExplain: AddCommand = program => {
  lookFlags(
    program.command('explain').argument('<job>').argument('<url>', 'the URL, or the item_id of a row'),
  )
    .description('explain why a URL was fetched or skipped, or what it waits for')
    .action(action(explain))
}

async function explain(jobId: string, url: string, flags: CommonFlags): Promise<void> {
  const { explain: explainIn } = await import('../../roles/local/explain.ts')
  const { settingsFor, visit } = await import('../jobs/read-data-directory.ts')
  const { print, printJson } = await import('../print.ts')
  const { safe } = await import('../talk.ts')
  await using data = await visit(flags)
  const { settings } = await settingsFor(flags)
  const explanation = await explainIn(data, settings, jobId, url)
  if (flags.json) printJson({ job_id: jobId, ...explanation })
  else for (const line of explanation.lines) print(safe(line))
}
