// Prints messages for people to stderr. stdout is only for data.
import picocolors from 'picocolors'
import { cutControls } from '../lib/text/clean-text.ts'

export interface Talk {
  /** Prints a line for people; nothing with `--quiet` or `--json`. */
  say: (line: string) => void
  /** With `--json`, prints facts for programs, one object per line; otherwise nothing. */
  tell: (fact: Record<string, unknown>) => void
  readonly colors: ReturnType<typeof picocolors.createColors>
  /** Whether lines can be redrawn. */
  readonly isTerminal: boolean
  readonly json: boolean
  readonly quiet: boolean
}

/** Removes control characters, because a page title must not move the cursor or change the window title. */
export const safe = (text: string): string => cutControls(text).replace(/\s+/g, ' ')

export function talkOn(stream: NodeJS.WriteStream, options: { quiet?: boolean; json?: boolean }): Talk {
  const json = Boolean(options.json)
  const quiet = Boolean(options.quiet)
  const isTerminal = Boolean(stream.isTTY) && !json
  const write = (line: string) => void stream.write(`${line}\n`)
  return {
    say: quiet || json ? () => {} : write,
    tell: json && !quiet ? fact => write(JSON.stringify({ level: 'info', ...fact })) : () => {},
    // `hasColors` respects NO_COLOR and terminals without colors.
    colors: picocolors.createColors(isTerminal && stream.hasColors()),
    isTerminal,
    json,
    quiet,
  }
}
