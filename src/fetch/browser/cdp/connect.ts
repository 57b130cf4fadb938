// Connects to the process of a browser through its pipe.
import { Failure } from '../../../model/failures.ts'
import { Connection } from './connection.ts'
import { openPipe } from './pipe.ts'
import type { BrowserProcess } from './process.ts'

/** Connects to a started browser. `gone` resolves when its process or its pipe has ended; all commands have failed then. */
export function connectTo(process: BrowserProcess): { connection: Connection; gone: Promise<Failure> } {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const connection: Connection = new Connection(text => pipe.send(text))
  const pipe = openPipe(process.output, process.input, {
    message: text => connection.receive(text),
    tooLong: start => connection.drop(start),
    closed: resolve,
  })
  const gone = Promise.race([closed, process.gone]).then(() => {
    const failure = new Failure('browser.crashed', 'The browser crashed or was closed', { scope: 'browser' })
    connection.gone(failure)
    pipe.close()
    return failure
  })
  return { connection, gone }
}
