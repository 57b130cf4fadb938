// kscrape doctor: what works on this machine, what is missing, and the command that fixes it.
import { type AddCommand, action } from './commands.ts'
import { type CommonFlags, lookFlags } from './flags.ts'

export const addDoctor: AddCommand = program => {
  lookFlags(program.command('doctor'))
    .description('what works on this machine, what is missing, and the command that fixes it')
    .action(action(doctor))
}

async function doctor(flags: CommonFlags): Promise<void> {
  const { examine } = await import('../roles/examine.ts')
  const { settingsFor } = await import('./visit.ts')
  const { exitCodes } = await import('./exit-codes.ts')
  const { print, printJson } = await import('./print.ts')
  const findings = await examine(await settingsFor(flags))
  for (const { name, verdict, note, fix } of findings) {
    if (flags.json) printJson({ name, verdict, note, fix })
    else print(`${verdict.padEnd(7)} ${name}: ${note}${fix ? `\n        fix: ${fix}` : ''}`)
  }
  if (findings.some(finding => finding.verdict === 'broken')) process.exitCode = exitCodes.error
}
