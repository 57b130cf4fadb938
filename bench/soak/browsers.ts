// The pool under test, with normal and hostile pages, and what can be measured from outside.
import { readdirSync } from 'node:fs'
import { openBrowserFetch } from '../../src/fetch/browser/index.ts'
import { allPids, commandLineOf, groupMemoryBytes } from '../../src/fetch/browser/pool/processes.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { browserPolicy, rendering } from '../../src/model/policy/rendering.ts'

export const deadlines = { navigationMs: 5_000, taskMs: 8_000 }

export type Browsers = ReturnType<typeof openBrowsers>

export function openBrowsers(origins: string[], tempFolder: string) {
  const browsers = openBrowserFetch({
    gate: new EgressGate({ allowPrivate: origins.map(origin => new URL(origin).host) }),
    places: {},
    poolSize: 'auto',
    drivers: {},
    emit: () => {},
    tempFolder,
    identityFor: async ({ session, version }) => ({
      id: session,
      userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36`,
      headers: {},
      viewport: { width: 1280, height: 720, deviceScaleFactor: 1, isMobile: false, hasTouch: false },
      locale: 'en-US',
      languages: ['en-US'],
      timeZone: 'UTC',
      geolocation: null,
      platform: 'Linux x86_64',
    }),
  })
  return {
    ...browsers,
    visit: async (url: string, waitFor?: string) => {
      const visit = await browsers.open(
        {
          jobId: 'soak',
          url,
          headers: {},
          browser: 'plain',
          session: 'soak',
          userAgent: 'kscrape soak',
          rendering: rendering.parse(waitFor === undefined ? {} : { waitFor }),
          policy: browserPolicy.parse(deadlines),
          maxBytes: 20_000_000,
          state: null,
          why: 'soak',
          before: async () => {},
        },
        new AbortController().signal,
      )
      await visit.release()
      return visit.page.body.toString()
    },
    memoryMb: () => browsers.pool.pids().reduce((sum, pid) => sum + (groupMemoryBytes(pid) ?? 0), 0) / 1e6,
    leftBehind: () => ({
      folders: readdirSync(tempFolder).length,
      processes: allPids().filter(pid => commandLineOf(pid).includes(tempFolder)).length,
    }),
  }
}
