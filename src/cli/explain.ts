// kscrape explain: why a URL was fetched, skipped or is waiting.
import { type AddCommand, action } from './commands.ts'
import { type CommonFlags, commonFlags } from './flags.ts'

export const addExplain: AddCommand = program => {
  commonFlags(program.command('explain <job> <url>'))
    .description('why a URL was fetched, skipped, or is waiting: which rule, which reason')
    .action(action(explain))
}

async function explain(jobId: string, url: string, flags: CommonFlags): Promise<void> {
  const { explainUrl } = await import('../pipeline/explain-url.ts')
  const { loadSettings } = await import('../config/load.ts')
  const { settingsOf } = await import('./flags.ts')
  const { visitDataDirectory } = await import('../roles/data-directory.ts')
  const { userAgentOf } = await import('../roles/user-agent.ts')
  const { safe } = await import('./talk.ts')
  const { Failure } = await import('../model/failures.ts')
  const { settings } = await loadSettings(settingsOf(flags))
  await using data = await visitDataDirectory(settings.dataDir)
  const job = await data.store.jobs.get(jobId)
  if (!job)
    throw new Failure(
      'job.unknown',
      `there is no job "${jobId}"; \`kscrape jobs list\` shows what there is`,
      { jobId },
    )
  const userAgent = job.spec.userAgent ?? userAgentOf(settings)
  const lines = await explainUrl({ store: data.store, userAgent, now: Date.now() }, job, url)
  process.stdout.write(
    flags.json ? `${JSON.stringify({ job_id: jobId, url, lines })}\n` : `${lines.map(safe).join('\n')}\n`,
  )
}
