// The main file of a process that runs several test files one after the other, so that they load the product only once.
// Arguments: a file for the times, then the test files.
import { appendFileSync } from 'node:fs'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ChildrenCpu } from './children-cpu.ts'

export interface FileTimes {
  file: string
  seconds: number
  cpuSeconds: number | null
}

const [timesFile, ...files] = process.argv.slice(2)
const children = new ChildrenCpu()
let startedAt = 0
// Includes the time before the first file starts.
let ownCpu: NodeJS.CpuUsage | undefined

for (const file of files) {
  // Wraps each file in a suite, so that its hooks apply only to its own tests. The tests start when the whole file is loaded, as
  // they do in a process of its own.
  await suite(file, async () => {
    await import(pathToFileURL(file).href)
  })
  appendFileSync(timesFile!, `${JSON.stringify(timesOf(file))}\n`)
}

function timesOf(file: string): FileTimes {
  const used = process.cpuUsage(ownCpu)
  const ofChildren = children.take()
  const now = performance.now()
  const seconds = (now - startedAt) / 1_000
  const own = (used.user + used.system) / 1_000_000
  ownCpu = process.cpuUsage()
  startedAt = now
  return { file, seconds, cpuSeconds: ofChildren === null ? null : own + ofChildren }
}
