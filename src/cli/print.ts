// Prints to stdout. If the pipe is closed (`kscrape … | head`), the program ends without an error.

let isWatched = false

function watch(): void {
  if (isWatched) return
  isWatched = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

export function write(text: string): void {
  watch()
  process.stdout.write(text)
}

export const print = (text: string): void => write(`${text}\n`)

export const printJson = (value: unknown): void => print(JSON.stringify(value))
