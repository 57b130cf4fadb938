// Data on stdout. A reader who has seen enough and closed the pipe is no error.

let isWatched = false

function watch(): void {
  if (isWatched) return
  isWatched = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

export function print(text: string): void {
  watch()
  process.stdout.write(`${text}\n`)
}

export const printJson = (value: unknown): void => print(JSON.stringify(value))
