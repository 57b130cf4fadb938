// Which version a browser is, without starting it: what is said in its name must be of the same.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { FoundBrowser } from '../pool/find-browser.ts'

/** What is said where there is no browser: the newest that our plain handshake can pass for. */
export const usualBrowserVersion = '151.0.0.0'

const run = promisify(execFile)
const longestMs = 10_000

/** `156.0.8078.79`; what does not say counts as the usual one. */
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
