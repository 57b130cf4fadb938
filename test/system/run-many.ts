// Runs command lines of the program one after the other in this process, for `Workplace.runMany`.
import { main } from '../../src/cli/main.ts'

process.once('message', async (lists: string[][]) => {
  const ended: object[] = []
  for (const args of lists) ended.push(await runOne(args))
  process.send!(ended, () => process.exit())
})

async function runOne(args: string[]): Promise<object> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array) => {
      said[name] += String(text)
      return true
    }
  process.exitCode = 0
  await main(args)
  return { code: process.exitCode, signal: null, ...said }
}
