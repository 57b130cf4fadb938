// Writes a diagnosis as one compressed file: a text per section, and requested profiles.
import { createReadStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { tarEnd, tarHead, tarRest } from '../../lib/tar.ts'
import { version } from '../../lib/user-agent.ts'
import type { Diagnosis } from '../../model/diagnosis.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import { openWhole } from '../../results/exports/sink.ts'

interface Section {
  name: string
  content: Buffer
}

/** A profile in a file. It is not held in memory, because a heap snapshot may be too large. */
export interface Profile {
  name: string
  path: string
  about: string
}

/** Writes the file atomically. Returns the list of its contents. */
export async function writeDiagnosis(
  path: string,
  diagnosis: Diagnosis,
  profiles: readonly Profile[],
): Promise<Array<{ name: string; bytes: number }>> {
  const sections = Object.entries(diagnosis.sections).map(([name, section]) => ({
    name: `${snake(name)}.json`,
    content: Buffer.from(`${JSON.stringify(mapKeys(section, snake), null, 2)}\n`),
  }))
  const all = [readMe(diagnosis, sections, profiles), ...sections]
  await mkdir(dirname(path), { recursive: true })
  await using sink = await openWhole(path)
  const archive = pipeline(Readable.from(archiveOf(diagnosis, all, profiles)), createGzip(), () => {})
  for await (const chunk of archive) await sink.write(chunk as Buffer)
  await sink.finish()
  const measured = profiles.map(async profile => ({
    name: profile.name,
    bytes: (await stat(profile.path)).size,
  }))
  return [
    ...all.map(({ name, content }) => ({ name, bytes: content.length })),
    ...(await Promise.all(measured)),
  ]
}

async function* archiveOf(
  { name, madeAt }: Diagnosis,
  sections: readonly Section[],
  profiles: readonly Profile[],
): AsyncGenerator<Buffer> {
  const head = (file: string, bytes: number) =>
    tarHead({ path: `kscrape-diagnosis-${fileNameOf(name)}/${file}`, bytes, modifiedAt: Date.parse(madeAt) })
  for (const { name: file, content } of sections) {
    yield head(file, content.length)
    yield content
    yield tarRest(content.length)
  }
  for (const { name: file, path } of profiles) {
    const { size } = await stat(path)
    yield head(file, size)
    for await (const chunk of createReadStream(path)) yield chunk as Buffer
    yield tarRest(size)
  }
  yield tarEnd()
}

export const fileNameOf = (name: string): string => name.replace(/[^\w.-]/g, '_')

function readMe(diagnosis: Diagnosis, sections: readonly Section[], profiles: readonly Profile[]): Section {
  const lines = [
    `Diagnosis of the ${diagnosis.about} ${diagnosis.name}, made ${diagnosis.madeAt} by kscrape ${version}.`,
    '',
    'Passwords, keys, tokens, header values and cookies are replaced by REDACTED. URLs of pages, names of hosts, settings and',
    'error messages are unchanged.',
    '',
    ...sections.map(({ name }) => `  ${name}`),
    ...profiles.map(({ name, about }) => `  ${name}   ${about}`),
    '',
  ]
  return { name: 'README.txt', content: Buffer.from(lines.join('\n')) }
}

export const profileNotes = {
  heap: 'NOT REDACTED: the whole memory of the process, with pages and secrets. Share it only with people who may see them.',
  cpu: 'activity of the main thread; only names of functions and files',
}
