// kscrape explain: why a URL was fetched, skipped or is waiting.
import { type AddCommand, action } from './commands.ts'
import { type CommonFlags, commonFlags, settingsOf } from './flags.ts'

export const addExplain: AddCommand = program => {
  commonFlags(program.command('explain <job> <url>'))
    .description('why a URL was fetched, skipped, or is waiting: which rule, which reason')
    .action(action(explain))
}

async function explain(jobId: string, url: string, flags: CommonFlags): Promise<void> {
  const { explain: explainIn } = await import('../roles/look-up.ts')
  const { loadSettings } = await import('../config/load.ts')
  const { visitDataDirectory } = await import('../roles/data-directory.ts')
  const { safe } = await import('./talk.ts')
  const { settings } = await loadSettings(settingsOf(flags))
  await using data = await visitDataDirectory(settings.dataDir)
  const lines = await explainIn(data, settings, jobId, url)
  process.stdout.write(
    flags.json ? `${JSON.stringify({ job_id: jobId, url, lines })}\n` : `${lines.map(safe).join('\n')}\n`,
  )
}
