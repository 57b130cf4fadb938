// Types of commands, and the wrapper of their actions. The code of an action is loaded only when it is called.
import type { Command } from 'commander'
import { endWith } from './fail.ts'

/** Adds a command or a group of commands to the program. */
export type AddCommand = (program: Command) => void

/** Wraps an action: a failure becomes one line and an exit code. */
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

/** Makes an action whose code is loaded when the action is called. */
export const lazily = <Args extends unknown[]>(
  load: () => Promise<(...args: Args) => Promise<void>>,
): ((...args: Args) => Promise<void>) => action(async (...args: Args) => (await load())(...args))
