// Finds the version of a browser without starting it, so that headers match it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { FoundBrowser } from '../pool/find-browser.ts'

/** The version to use if no browser is installed: the newest one that our plain TLS handshake matches. */
export const usualBrowserVersion = '151.0.0.0'

const run = promisify(execFile)
const longestMs = 10_000

/** For example `156.0.8078.79`. Returns the default if the browser does not report a version. */
export async function browserVersion({
  executablePath,
  env,
}: Pick<FoundBrowser, 'executablePath' | 'env'>): Promise<string> {
  try {
    const { stdout } = await run(executablePath, ['--version'], { timeout: longestMs, env: { ...env } })
    return /\d+\.\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? usualBrowserVersion
  } catch {
    return usualBrowserVersion
  }
}
