// The action of kscrape diagnose.
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Client } from '../../client.ts'
import { formatBytes } from '../../lib/text/units.ts'
import type { Diagnosis, ProfileRequest } from '../../model/diagnosis.ts'
import { Failure } from '../../model/failures.ts'
import { redactionFor } from '../../observe/diagnose/redaction.ts'
import {
  fileNameOf,
  type Profile,
  profileNotes,
  writeDiagnosis,
} from '../../observe/diagnose/write-bundle.ts'
import { diagnoseHere } from '../../roles/local/local-diagnosis.ts'
import { writeFileWhole } from '../../roles/write-file.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor, visit } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { serviceFor } from '../service.ts'
import { talkOn } from '../talk.ts'

interface DiagnoseFlags extends CommonFlags {
  out?: string
  heap?: boolean
  cpu?: number
}

export async function diagnose(name: string, flags: DiagnoseFlags): Promise<void> {
  const service = await serviceFor(flags)
  const { settings } = await settingsFor(flags)
  const diagnosis = service ? await service.diagnostics.get(name) : await local(name, flags)
  const path = resolve(flags.out ?? `kscrape-diagnosis-${fileNameOf(name)}.tar.gz`)
  await using work = new AsyncDisposableStack()
  const profiles = service ? await profilesOf(service, name, { ...flags, path, work }) : []
  const redact = redactionFor(settings, [flags.apiKey])
  const entries = await writeDiagnosis(path, redact(diagnosis), profiles)
  if (flags.json) return printJson({ file: path, entries })
  print(path)
  for (const { name: entry, bytes } of entries) print(`  ${entry.padEnd(20)} ${formatBytes(bytes)}`)
  if (flags.heap)
    talkOn(process.stderr, flags).say(`heap.heapsnapshot is not redacted: it holds pages and secrets`)
}

async function local(name: string, flags: DiagnoseFlags): Promise<Diagnosis> {
  if (flags.heap || flags.cpu !== undefined)
    throw new Failure(
      'input.invalid',
      '--heap and --cpu measure the process of a service; name the service with --server',
    )
  await using data = await visit(flags)
  return await diagnoseHere(data, (await settingsFor(flags)).settings, name)
}

interface Wanted extends DiagnoseFlags {
  path: string
  work: AsyncDisposableStack
}

/** Downloads profiles to temporary files beside the bundle. The caller adds them to the bundle; `work` deletes them. */
async function profilesOf(
  service: Client,
  name: string,
  { heap, cpu, path, work }: Wanted,
): Promise<Profile[]> {
  const requests: ProfileRequest[] = [
    ...(cpu === undefined ? [] : [{ kind: 'cpu' as const, seconds: cpu }]),
    ...(heap ? [{ kind: 'heap' as const }] : []),
  ]
  const profiles: Profile[] = []
  for (const request of requests) {
    const download = await service.diagnostics.profile(name, request)
    const kept = `${path}.${download.fileName}`
    work.defer(() => rm(kept, { force: true }))
    await writeFileWhole(kept, download.stream())
    profiles.push({ name: download.fileName, path: kept, about: profileNotes[request.kind] })
  }
  return profiles
}
