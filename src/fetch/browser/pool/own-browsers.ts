// Installs a browser on machines without one: an npm package in the user's cache folder.
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../../model/failures.ts'

export const chromiumPackage = '@sparticuz/chromium'

/** The folder is outside our package, so that an update of kscrape does not remove the browser. */
export const ownBrowsersFolder = (home = homedir()): string => join(home, '.cache', 'kscrape', 'browsers')

const installMs = 300_000
const shownCharacters = 500

/** Runs npm without install scripts. `npm` is the name of the program in PATH. */
export async function installBrowser(folder = ownBrowsersFolder(), npm = 'npm'): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Without a package.json in this folder, npm would use one of a parent folder.
  await writeFile(join(folder, 'package.json'), '{"private":true}\n')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', chromiumPackage]
  const { code, said } = await run(npm, args, folder)
  if (code === 0) return
  throw new Failure(
    'browser.missing',
    `npm could not install ${chromiumPackage} into ${folder}: ${said.trim().slice(-shownCharacters) || `exit code ${code}`}`,
    { folder, code },
  )
}

function run(command: string, args: string[], cwd: string): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve, reject) => {
    // Use a signal: with Node's `timeout` option, our process would not end if the program does not exist.
    const signal = AbortSignal.timeout(installMs)
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], signal })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', text => (said += text))
    child.once('close', code => resolve({ code, said }))
    child.once('error', cause =>
      reject(
        new Failure(
          'browser.missing',
          `${command} can't be run (${(cause as NodeJS.ErrnoException).code}); install Node with npm`,
          {},
          { cause },
        ),
      ),
    )
  })
}
