// kscrape doctor: what works on this machine, what is missing, and the command that fixes it.
import { type AddCommand, action } from './commands.ts'
import { type CommonFlags, commonFlags } from './flags.ts'

export const addDoctor: AddCommand = program => {
  commonFlags(program.command('doctor'))
    .description('what works on this machine, what is missing, and the command that fixes it')
    .action(action(doctor))
}

async function doctor(flags: CommonFlags): Promise<void> {
  const { examine } = await import('../roles/examine.ts')
  const { loadSettings } = await import('../config/load.ts')
  const { settingsOf } = await import('./flags.ts')
  const { exitCodes } = await import('./exit-codes.ts')
  const findings = await examine(await loadSettings(settingsOf(flags)))
  for (const { name, verdict, note, fix } of findings) {
    const line = flags.json
      ? JSON.stringify({ name, verdict, note, fix })
      : `${verdict.padEnd(7)} ${name}: ${note}${fix ? `\n        fix: ${fix}` : ''}`
    process.stdout.write(`${line}\n`)
  }
  if (findings.some(finding => finding.verdict === 'broken')) process.exitCode = exitCodes.error
}
