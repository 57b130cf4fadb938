// What a command is, and how its action is run: heavy parts are loaded only when it is called.
import type { Command } from 'commander'
import { endWith } from './fail.ts'

/** Adds one command (or a family) to the program. */
export type AddCommand = (program: Command) => void

/** Wraps an action so that its failure becomes one line and an exit code. */
export function action<Args extends unknown[]>(
  run: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await run(...args)
    } catch (error) {
      const command = args.at(-1) as Command | undefined
      endWith(error, Boolean(command?.optsWithGlobals?.().json))
    }
  }
}

/** An action whose code is loaded when it is called. */
export const lazily = <Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Promise<void>>,
): ((...args: Args) => Promise<void>) => action(async (...args: Args) => (await load())(...args))
