// The draft as code for the command line, curl and TypeScript, to copy.
import { mapKeys, snake } from '../../../../src/model/letter-case.ts'
import { type Draft, jobOf, scheduleOf } from './draft.ts'

export interface Snippets {
  cli: string
  curl: string
  typescript: string
}

/** `server` is the origin of this page. The key is never part of the snippets. */
export function snippetsOf(draft: Draft, server: string): Snippets {
  const isScheduled = draft.cron.trim() !== ''
  const given = isScheduled ? scheduleOf(draft) : jobOf(draft)
  const body = JSON.stringify(mapKeys(given, snake), null, 2)
  const [noun, path] = isScheduled ? ['schedules', '/schedules'] : ['jobs', '/jobs']
  return {
    cli: `# The key is read from SCRAPER_API_KEY.\nkscrape ${noun} create - --server ${server} <<'JSON'\n${body}\nJSON`,
    curl: [
      `curl -sS --fail-with-body ${server}${path} \\`,
      '  -H "Authorization: Bearer $SCRAPER_API_KEY" -H "content-type: application/json" \\',
      `  --data-binary @- <<'JSON'\n${body}\nJSON`,
    ].join('\n'),
    typescript: [
      "import { Client } from 'kscrape/client'",
      '',
      `const client = new Client({ server: '${server}', apiKey: process.env.SCRAPER_API_KEY })`,
      isScheduled
        ? `const schedule = await client.schedules.create(${literal(given)})`
        : `const { jobId } = await client.jobs.create(${literal(given)})\nconst { status, counts } = await client.jobs.wait(jobId)`,
    ].join('\n'),
  }
}

/** Formats a value as a TypeScript literal, with unquoted names where possible. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
