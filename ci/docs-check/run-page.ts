// Runs the commands of one page like a reader: top to bottom, in one shell, in a temporary folder.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, commandsOf, isFile, type PlacedFile, type Script } from './commands.ts'
import { openStage, type Stage } from './stage.ts'

export interface PageRun {
  page: string
  ran: number
  /** The blocks that did not run, each with the reason. */
  leftOut: Array<{ line: number; reason: string }>
  /** The failed command and its error, or null. */
  trouble: string | null
  tookMs: number
}

export interface RunOptions {
  /** True if no other test uses the files that the commands build. */
  isAlone: boolean
  /** The time limit for all commands of the page together. */
  limitMs: number
}

const notBeside = 'runs by itself, in `make docs-check`'

export async function runPage(script: Script, options: RunOptions): Promise<PageRun> {
  const startedAt = performance.now()
  const reasonOf = ({ reason, isAlone }: Command) =>
    reason ?? (isAlone && !options.isAlone ? notBeside : null)
  const isChosen = (command: Command) => reasonOf(command) === null
  const ran = commandsOf(script).filter(isChosen).length
  const leftOut = commandsOf(script).flatMap(command => {
    const reason = reasonOf(command)
    return reason === null ? [] : [{ line: command.line, reason }]
  })
  const steps = script.steps.filter(step => isFile(step) || isChosen(step))
  const trouble = ran === 0 ? null : await play({ ...script, steps }, options)
  const tookMs = Math.round(performance.now() - startedAt)
  return { page: script.page, ran, leftOut, trouble, tookMs }
}

async function play(script: Script, { limitMs }: RunOptions): Promise<string | null> {
  await using stage = await openStage(script)
  await mkdir(join(stage.folder, '.said'))
  const shell = spawn('bash', ['-c', shellScript(script, stage)], {
    ...{ cwd: stage.folder, env: stage.environment, detached: true },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  shell.stderr.setEncoding('utf8').on('data', text => (complaint += text))
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    endGroup(shell.pid!)
  }, limitMs)
  const [code] = (await once(shell, 'exit')) as [number | null]
  clearTimeout(deadline)
  endGroup(shell.pid!)
  return await troubleOf(script, stage, { code, complaint, isLate, limitMs })
}

/** Ends all processes that a page left running. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // No process was left.
  }
}

const shellScript = ({ steps }: Script, stage: Stage): string =>
  [
    'set -euo pipefail',
    endsItsOwn,
    listens,
    ...steps.map(step => (isFile(step) ? writeBlock(step) : oneBlock(step, stage))),
  ].join('\n')

/** Ends background servers, and keeps the exit code of the page. */
const endsItsOwn = `trap 'ended=$?; set +e; running=$(jobs -p); [ -z "$running" ] || kill $running 2>/dev/null; wait; exit $ended' EXIT`

const listens = `listens() {
  for _ in $(seq 450); do (exec 9<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
    kill -0 $! 2>/dev/null || { echo "it ended before it listened on port $1" >&2; return 1; }
    sleep 0.2
  done
  echo "nothing listens on port $1 after 90 s" >&2; return 1
}`

const writeBlock = ({ line, name }: PlacedFile): string =>
  `mkdir -p "$(dirname '${name}')"; cp "$HOME/.blocks/${line}" '${name}'`

function oneBlock(command: Command, stage: Stage): string {
  const { line, exitCode, isBackground } = command
  const text = stage.here(command.text).trimEnd()
  const start = `echo ${line} > "$HOME/.said/at"; exec > "$HOME/.said/${line}" 2> "$HOME/.said/${line}.err"`
  if (isBackground) return `${start}\n{\n${text}\n} &\nlistens ${portIn(text, stage)}`
  if (exitCode === 0) return `${start}\n${text}`
  return `${start}\nset +e\n( set -e\n${text}\n)\nended=$?\nset -e\n[ $ended -eq ${exitCode} ] || { echo "ended with $ended, not ${exitCode}" >&2; exit 1; }`
}

const portIn = (text: string, { environment }: Stage): string =>
  /--port (\d+)/.exec(text)?.[1] ?? environment.SCRAPER_PORT!

interface Ending {
  code: number | null
  complaint: string
  isLate: boolean
  limitMs: number
}

async function troubleOf(script: Script, { folder }: Stage, ending: Ending): Promise<string | null> {
  const said = (name: string) => readFile(join(folder, '.said', name), 'utf8').catch(() => '')
  if (ending.code === 0) {
    const lacking = await Promise.all(
      commandsOf(script).map(async ({ line, shown }) =>
        lackingIn(await said(String(line)), shown, `${script.page}:${line}`),
      ),
    )
    return lacking.find(trouble => trouble !== null) ?? null
  }
  const at = (await said('at')).trim() || '1'
  const how = ending.isLate ? `was not done after ${ending.limitMs / 1_000} s` : `ended with ${ending.code}`
  const told = `${await said(at)}${await said(`${at}.err`)}${ending.complaint}`.trim().slice(-2_000)
  return `${script.page}:${at} ${how}\n${told.replaceAll(/^/gm, '    ')}`
}

/** Lines are matched literally; `…` matches anything. */
function lackingIn(said: string, shown: string[], place: string): string | null {
  const escaped = (line: string) => line.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const missing = shown.find(line => !new RegExp(escaped(line).replaceAll('…', '.*')).test(said))
  if (missing === undefined) return null
  return `${place}: the output lacks a line that the page shows: ${missing.trim()}\n${said.slice(-2_000).replaceAll(/^/gm, '    ')}`
}
