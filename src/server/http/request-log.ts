// Request loggers that are created on first use. Most requests log nothing, and creating a logger is costly.
import type { Log } from '../parts.ts'

/** A logger whose children are created on first use. */
export const withLateChildren = (log: Log): Log => new LateLog(() => log)

class LateLog implements Log {
  readonly #make: () => Log
  #made: Log | null = null

  constructor(make: () => Log) {
    this.#make = make
  }

  get #log(): Log {
    this.#made ??= this.#make()
    return this.#made
  }

  child(...told: Parameters<Log['child']>): Log {
    return new LateLog(() => this.#log.child(...told))
  }

  #line(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'): Log['info'] {
    const log = this.#log
    return log[level].bind(log)
  }

  get level(): string {
    return this.#log.level
  }
  get fatal(): Log['info'] {
    return this.#line('fatal')
  }
  get error(): Log['info'] {
    return this.#line('error')
  }
  get warn(): Log['info'] {
    return this.#line('warn')
  }
  get info(): Log['info'] {
    return this.#line('info')
  }
  get debug(): Log['info'] {
    return this.#line('debug')
  }
  get trace(): Log['info'] {
    return this.#line('trace')
  }
  get silent(): Log['info'] {
    return this.#line('silent')
  }
}
