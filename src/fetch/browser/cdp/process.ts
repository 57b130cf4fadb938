// Starts a browser in its own process group, with a pipe to control it.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../../model/failures.ts'
import type { LaunchOptions } from '../driver.ts'
import { killGroup } from '../pool/processes.ts'

export interface BrowserProcess {
  pid: number
  output: Writable
  input: Readable
  gone: Promise<void>
  /** The last lines of the browser's stderr, for the error message if it does not start. */
  complaints: () => string
}

export async function startProcess({
  executablePath,
  args,
  env,
  profileDir,
}: Omit<LaunchOptions, 'headless' | 'timeoutMs'>): Promise<BrowserProcess> {
  const own = ['--remote-debugging-pipe', `--user-data-dir=${profileDir}`]
  const child = spawn(executablePath, [...args, ...own, 'about:blank'], {
    // With its own process group, the browser can be killed together with its child processes.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    cwd: profileDir,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'en_US.UTF-8', HOME: profileDir, ...env },
  })
  const complaints = lastLines(child.stderr!)
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  await started(child, executablePath)
  endWithUs(child, gone)
  const [, , , output, input] = child.stdio as [null, null, Readable, Writable, Readable]
  return { pid: child.pid!, output, input, gone, complaints }
}

function started(child: ChildProcess, executablePath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', cause => {
      const message = `The browser ${executablePath} cannot be started: ${cause.message}`
      reject(new Failure('browser.not-started', message, { executablePath }, { cause }))
    })
  })
}

/** Closing the pipe ends a healthy browser. A hung browser is killed when this process exits. */
function endWithUs(child: ChildProcess, gone: Promise<void>): void {
  const kill = () => killGroup(child.pid!)
  process.once('exit', kill)
  gone.then(() => process.off('exit', kill))
}

function lastLines(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-2_000)
  })
  return () => text.trim().split('\n').slice(-3).join(' · ')
}
