// Which blocks are commands, what each mark means, and which commands are hidden in other blocks.
import { type Block, blocksOf, type Page } from './markdown.ts'

/**
 * A block marked `sh`. All such blocks of a page run in one shell, from top to bottom. These marks may follow `sh`:
 *
 * - `not-run: REASON`  The block cannot run here, for this reason.
 * - `alone`            The block runs only in `make docs-check`, because it builds files that other tests use.
 * - `background`       The block starts a server, which runs until the end of the page. The next block waits until it listens.
 * - `exit=4`           The block must end with this exit code.
 *
 * Two other kinds of blocks belong to the commands. A block like `yaml file=job.yaml`, in any language, is written to that file
 * before the next command. A block `text output` has lines that the previous command must print; `…` stands for any text.
 */
export interface Command extends Block {
  isBackground: boolean
  isAlone: boolean
  exitCode: number
  /** Why it cannot run; null if it can. */
  reason: string | null
  /** Lines that its output must have. */
  shown: string[]
}

/** A block that is saved as a file before the next command. */
export interface PlacedFile {
  line: number
  name: string
  text: string
}

export type Step = Command | PlacedFile

export interface Script {
  page: string
  /** In the order of the page. */
  steps: Step[]
}

export const isFile = (step: Step): step is PlacedFile => 'name' in step

export const commandsOf = ({ steps }: Script): Command[] =>
  steps.flatMap(step => (isFile(step) ? [] : [step]))

const shells = ['sh', 'bash', 'console', 'shell']
const isCommand = ({ language }: Block): boolean => shells.includes(language)

export function scriptOf(page: Page): Script {
  const steps: Step[] = []
  let last: Command | undefined
  for (const block of blocksOf(page)) {
    if (isCommand(block)) {
      last = commandOf(page, block)
      steps.push(last)
    } else if (block.mark === 'output') last?.shown.push(...block.text.trim().split('\n'))
    else steps.push(...placedFile(block))
  }
  return { page: page.path, steps }
}

function commandOf({ path }: Page, block: Block): Command {
  const [, reason] = /^not-run:\s*(.+)$/.exec(block.mark) ?? []
  const [, exitCode] = /^exit=(\d+)$/.exec(block.mark) ?? []
  const command = {
    isBackground: block.mark === 'background',
    isAlone: block.mark === 'alone',
    exitCode: Number(exitCode ?? 0),
    reason: reason ?? null,
  }
  const isKnown = block.mark === '' || reason || exitCode || command.isBackground || command.isAlone
  if (!isKnown)
    throw new Error(`${path}:${block.line}: "${block.mark}" is no mark; see ci/docs-check/commands.ts`)
  return { ...block, ...command, shown: [] }
}

function placedFile({ line, mark, text }: Block): PlacedFile[] {
  const [, name] = /^file=([\w./-]+)$/.exec(mark) ?? []
  return name === undefined || name.includes('..') ? [] : [{ line, name, text }]
}

const programs =
  /^\s*(\$ |(\S+=\S+ )?(\.\/kscrape|kscrape|make|npm|npx|curl|docker|kubectl|terraform|git|sudo|export|node)\s)/m

/** Finds commands in blocks that are not marked `sh`. The check would never run these commands. */
export const hiddenCommands = (page: Page): string[] =>
  blocksOf(page)
    .filter(({ language, mark }) => ['', 'text'].includes(language) && mark !== 'output')
    .filter(({ text }) => programs.test(text))
    .map(({ line }) => `${page.path}:${line}: commands in a block that is not marked \`sh\``)
