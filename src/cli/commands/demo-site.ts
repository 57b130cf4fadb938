// kscrape demo-site: a local website for experiments, offline.
import { type AddCommand, action } from '../command.ts'
import { whole } from '../flags/flag-values.ts'

interface DemoFlags {
  port: number
  misbehave?: boolean
}

export const addDemoSite: AddCommand = program => {
  program
    .command('demo-site')
    .description('serve a local website for experiments, offline')
    .option('-p, --port <n>', 'port on 127.0.0.1; 0 selects a free port', whole(0, 65_535), 8080)
    .option('--misbehave', 'serve the misbehaving pages too, listed at /misbehaving/')
    .action(action(serve))
}

async function serve(flags: DemoFlags): Promise<void> {
  const { startDemoSite } = await import('../../demo-site/index.ts')
  await using site = await startDemoSite({ port: flags.port, misbehave: Boolean(flags.misbehave) })
  process.stderr.write(`demo site at ${site.url}/ (stop with Ctrl-C)\n`)
  process.stderr.write(
    `try:  kscrape crawl ${site.url}/ --allow-private ${site.host}:${site.port} --rate 20/s -o pages.jsonl\n`,
  )
  await new Promise<void>(resolve => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
