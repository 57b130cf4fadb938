// Talk for people, on stderr; data goes to stdout alone.
import picocolors from 'picocolors'
import { cutControls } from '../lib/clean-text.ts'

export interface Talk {
  /** Lines for people; nothing when `--quiet`. */
  say: (line: string) => void
  /** Said even when quiet: without it the outcome can't be understood. */
  warn: (line: string) => void
  readonly colors: ReturnType<typeof picocolors.createColors>
  readonly isTerminal: boolean
  readonly json: boolean
  readonly quiet: boolean
}

/** What a site put into a title must not move the cursor or set the window's name. */
export const safe = (text: string): string => cutControls(text).replace(/\s+/g, ' ')

export function talkOn(stream: NodeJS.WriteStream, options: { quiet?: boolean; json?: boolean }): Talk {
  const isTerminal = Boolean(stream.isTTY)
  const write = (line: string) => void stream.write(`${line}\n`)
  const quiet = Boolean(options.quiet)
  return {
    say: quiet || options.json ? () => {} : write,
    warn: options.json ? line => write(JSON.stringify({ level: 'warn', message: line })) : write,
    colors: picocolors.createColors(isTerminal && picocolors.isColorSupported && !options.json),
    isTerminal: isTerminal && !options.json,
    json: Boolean(options.json),
    quiet,
  }
}
