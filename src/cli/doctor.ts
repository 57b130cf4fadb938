// kscrape doctor: what works on this machine, what is missing, and the command that fixes it.
import type { Settings } from '../config/settings.ts'
import { type AddCommand, action } from './commands.ts'
import { type CommonFlags, lookFlags } from './flags.ts'

export const addDoctor: AddCommand = program => {
  lookFlags(program.command('doctor'))
    .description('what works on this machine, what is missing, and the command that fixes it')
    .option('--fix', 'get a browser where there is none: @sparticuz/chromium, by npm, into ~/.cache/kscrape')
    .action(action(doctor))
}

async function doctor(flags: CommonFlags & { fix?: boolean }): Promise<void> {
  const { examine } = await import('../roles/examine.ts')
  const { settingsFor } = await import('./visit.ts')
  const { exitCodes } = await import('./exit-codes.ts')
  const { print, printJson } = await import('./print.ts')
  const loaded = await settingsFor(flags)
  if (flags.fix) await fix(loaded.settings, Boolean(flags.json))
  const findings = await examine(loaded)
  for (const { name, verdict, note, fix } of findings) {
    if (flags.json) printJson({ name, verdict, note, fix })
    else print(`${verdict.padEnd(7)} ${name}: ${note}${fix ? `\n        fix: ${fix}` : ''}`)
  }
  if (findings.some(finding => finding.verdict === 'broken')) process.exitCode = exitCodes.error
}

async function fix(settings: Settings, json: boolean): Promise<void> {
  const { fixBrowser } = await import('../roles/examine-browser.ts')
  if (!json) process.stderr.write('looking for a browser; getting one may take a minute\n')
  const done = (await fixBrowser(settings)) ?? 'there is a browser already, nothing was installed'
  if (!json) process.stderr.write(`${done}\n`)
}
