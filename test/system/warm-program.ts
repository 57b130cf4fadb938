// A process that has loaded the program and runs one command line after another. Loading takes most of the time of a short command.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface Command {
  args: string[]
  cwd: string
  env: Record<string, string | undefined>
}

export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

const project = pathToFileURL(join(import.meta.dirname, '../..')).href

/** There is one such process per test file. It ends with the file. */
export class WarmProgram {
  #child: ChildProcess | null = null
  isBusy = false

  async run(command: Command): Promise<Outcome> {
    this.isBusy = true
    const child = this.#running()
    child.ref()
    child.channel?.ref()
    // Removes the listeners of this command, because the process runs many commands.
    const ended = new AbortController()
    const { signal: until } = ended
    try {
      const died = once(child, 'exit', { signal: until }).then(
        ([code, signal]): Outcome => ({
          ...{ code, signal, stdout: '', stderr: 'the process that runs commands ended' },
        }),
      )
      const answered = once(child, 'message', { signal: until }).then(([outcome]) => outcome as Outcome)
      child.send(command)
      return await Promise.race([answered, died])
    } finally {
      ended.abort()
      child.unref()
      child.channel?.unref()
      this.isBusy = false
    }
  }

  #running(): ChildProcess {
    if (this.#child !== null) return this.#child
    const child = fork(fileURLToPath(import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    // The test file waits until this process has ended, so that its CPU time is counted.
    process.once('beforeExit', () => {
      if (!child.connected) return
      child.ref()
      child.disconnect()
    })
    child.once('exit', () => {
      this.#child = null
    })
    this.#child = child
    return child
  }
}

if (import.meta.main) {
  const { main } = await import('../../src/cli/main.ts')
  registerHooks({ resolve: (specifier, context, next) => fresh(next(specifier, context)) })
  process.on('disconnect', () => process.exit())
  process.on('message', async (command: Command) => process.send!(await runHere(main, command)))
}

/** Each command loads the scrapers and settings of its folder again, as a new process does. */
function fresh<Resolved extends { url: string }>(resolved: Resolved): Resolved {
  const { url } = resolved
  if (!url.startsWith('file:') || url.includes('?') || url.startsWith(project)) return resolved
  const { mtimeNs, size } = statSync(fileURLToPath(url), { bigint: true })
  return { ...resolved, url: `${url}?${mtimeNs}-${size}` }
}

async function runHere(
  main: (args: string[]) => Promise<void>,
  { args, cwd, env }: Command,
): Promise<Outcome> {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.exitCode = undefined
  const said = { stdout: capture('stdout'), stderr: capture('stderr') }
  try {
    await main(args)
  } catch (error) {
    process.stderr.write(String((error as Error).stack))
    process.exitCode = 1
  }
  const code = Number(process.exitCode ?? 0)
  // Leaves the folder of the command, because the test may delete it.
  process.chdir(join(import.meta.dirname))
  process.exitCode = undefined
  return { code, signal: null, stdout: said.stdout(), stderr: said.stderr() }
}

function capture(name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = []
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    chunks.push(chunk)
    done()
  }
  Object.defineProperty(process, name, { value: new Writable({ write }), configurable: true })
  return () => Buffer.concat(chunks).toString()
}
