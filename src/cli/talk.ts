// Talk for people, on stderr; data goes to stdout alone.
import picocolors from 'picocolors'
import { cutControls } from '../lib/text/clean-text.ts'

export interface Talk {
  /** Lines for people; nothing when `--quiet` or `--json`. */
  say: (line: string) => void
  /** What a program reads under `--json`, one object a line; nothing otherwise. */
  tell: (fact: Record<string, unknown>) => void
  readonly colors: ReturnType<typeof picocolors.createColors>
  /** Whether lines may be drawn anew. */
  readonly isTerminal: boolean
  readonly json: boolean
  readonly quiet: boolean
}

/** What a site put into a title must not move the cursor or set the window's name. */
export const safe = (text: string): string => cutControls(text).replace(/\s+/g, ' ')

export function talkOn(stream: NodeJS.WriteStream, options: { quiet?: boolean; json?: boolean }): Talk {
  const json = Boolean(options.json)
  const quiet = Boolean(options.quiet)
  const isTerminal = Boolean(stream.isTTY) && !json
  const write = (line: string) => void stream.write(`${line}\n`)
  return {
    say: quiet || json ? () => {} : write,
    tell: json && !quiet ? fact => write(JSON.stringify({ level: 'info', ...fact })) : () => {},
    // The stream knows of NO_COLOR and of terminals that have none.
    colors: picocolors.createColors(isTerminal && stream.hasColors()),
    isTerminal,
    json,
    quiet,
  }
}
