// Joins the modules of the program once for all tests. Tests start hundreds of processes and lanes, and loading a thousand modules one by one
// took a third of the CPU time of a run.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { joinModules } from '../bundle.ts'

const hook = join(import.meta.dirname, 'load-joined.mjs')
const unusedMs = 24 * 3_600_000

/**
 * Returns environment variables for the tests. With them, every process and thread of the program loads the joined modules.
 * The folder of these modules has a name made from their content. So two runs at the same time do not disturb each other, and a
 * later run of the same code reuses the folder and Node's compile cache.
 */
export async function joinProgram(root: string): Promise<Record<string, string>> {
  const cache = join(root, 'node_modules/.cache/joined')
  // Every folder in the cache has the same depth, so relative paths inside the files are right in each of them.
  const files = await joinModules(join(root, 'src'), '.ts', join(cache, 'folder'))
  const hash = createHash('sha256')
  for (const { fileName, code } of files) hash.update(`${fileName}\0${code}\0`)
  const folder = join(cache, hash.digest('hex').slice(0, 16))
  mkdirSync(cache, { recursive: true })
  deleteUnused(cache)
  if (existsSync(folder)) utimesSync(folder, new Date(), new Date())
  else write(files, folder)
  const nodeOptions = [process.env.NODE_OPTIONS, `--import=${pathToFileURL(hook)}`]
  return { TEST_JOINED: folder, NODE_OPTIONS: nodeOptions.filter(Boolean).join(' ') }
}

/** The folder appears completely or not at all, because another run may look for it at this moment. */
function write(files: readonly { fileName: string; code: string }[], folder: string): void {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished)
  for (const { fileName, code } of files) writeFileSync(join(unfinished, fileName), code)
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    // Another run has already created the folder.
    if (!existsSync(folder)) throw error
  }
}

function deleteUnused(cache: string): void {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name)
    if (Date.now() - statSync(folder).mtimeMs > unusedMs) rmSync(folder, { recursive: true, force: true })
  }
}
