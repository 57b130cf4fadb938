// The actions of kscrape uploads.
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import type { UploadShown } from '../../client.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { inputFile } from '../jobs/input-file.ts'
import { print, printJson } from '../print.ts'
import { serviceNeeded } from '../service.ts'
import { table } from '../show/job-tables.ts'

export async function send(file: string, flags: CommonFlags): Promise<void> {
  const { uploads } = await serviceNeeded(flags, 'uploads')
  const content = await openAsBlob(await inputFile(file, undefined))
  const upload = await uploads.send(content, { fileName: basename(file) })
  if (flags.json) return printJson(mapKeys(upload, snake))
  print(upload.uploadId)
}

export async function list(flags: CommonFlags): Promise<void> {
  const { uploads } = await serviceNeeded(flags, 'uploads')
  const found = await Array.fromAsync(uploads.list())
  if (flags.json) for (const upload of found) printJson(mapKeys(upload, snake))
  else print(table(['upload', 'file', 'bytes', 'state', 'created'], found.map(rowOf)))
}

const rowOf = ({ uploadId, fileName, bytes, status, createdAt }: UploadShown): string[] => [
  uploadId,
  fileName,
  String(bytes),
  status,
  createdAt.slice(0, 19).replace('T', ' '),
]

export async function remove(uploadId: string, flags: CommonFlags): Promise<void> {
  const { uploads } = await serviceNeeded(flags, 'uploads')
  await uploads.delete(uploadId)
  if (flags.json) printJson({ upload_id: uploadId, deleted: true })
  else process.stderr.write(`${uploadId}: deleted\n`)
}
