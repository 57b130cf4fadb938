// kscrape doctor: checks this machine or a service, and prints a fix for each problem.
import type { Settings } from '../../config/settings.ts'
import type { Finding } from '../../roles/local/finding.ts'
import { type AddCommand, action } from '../command.ts'
import { type CommonFlags, lookFlags, serverFlags } from '../flags/flags.ts'

interface DoctorFlags extends CommonFlags {
  fix?: boolean
  page?: string
}

export const addDoctor: AddCommand = program => {
  serverFlags(lookFlags(program.command('doctor')))
    .description('check this machine, or a service (--server), and print a fix for each problem')
    .optionsGroup('Options:')
    .option('--fix', 'install a browser if there is none: @sparticuz/chromium, by npm, into ~/.cache/kscrape')
    .option('--page <url>', 'with --server: let the service turn this page into a record')
    .action(action(doctor))
}

async function doctor(flags: DoctorFlags): Promise<void> {
  const { exitCodes } = await import('../exit-codes.ts')
  const { print, printJson } = await import('../print.ts')
  const findings = await findingsFor(flags)
  for (const { name, verdict, note, fix } of findings) {
    if (flags.json) printJson({ name, verdict, note, fix })
    else print(`${verdict.padEnd(7)} ${name}: ${note}${fix ? `\n        fix: ${fix}` : ''}`)
  }
  if (findings.some(finding => finding.verdict === 'broken')) process.exitCode = exitCodes.error
}

async function findingsFor(flags: DoctorFlags): Promise<Finding[]> {
  const { serviceFor } = await import('../service.ts')
  const service = await serviceFor(flags)
  await refuseMisplaced(flags, service !== null)
  if (service) {
    const { checkService } = await import('../actions/doctor-service.ts')
    return checkService(service, flags.page)
  }
  const { checkMachine } = await import('../../roles/local/check-machine.ts')
  const { settingsFor } = await import('../jobs/read-data-directory.ts')
  const loaded = await settingsFor(flags)
  if (flags.fix) await fix(loaded.settings, Boolean(flags.json))
  return checkMachine(loaded)
}

async function refuseMisplaced({ fix, page }: DoctorFlags, isService: boolean): Promise<void> {
  const { Failure } = await import('../../model/failures.ts')
  if (isService && fix)
    throw new Failure(
      'input.invalid',
      '--fix installs a browser on this machine; leave out --server, or run it where the service runs',
    )
  if (!isService && page !== undefined)
    throw new Failure(
      'input.invalid',
      '--page needs a service: name one with --server. To scrape locally: kscrape scrape URL',
    )
}

async function fix(settings: Settings, json: boolean): Promise<void> {
  const { fixBrowser } = await import('../../roles/local/check-browser.ts')
  if (!json) process.stderr.write('looking for a browser; an installation may take a minute\n')
  const done = (await fixBrowser(settings)) ?? 'a browser is already installed'
  if (!json) process.stderr.write(`${done}\n`)
}
