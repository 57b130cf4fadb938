// The project's Markdown as a checker sees it: pages, blocks of code with their marks, links and headings.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Page {
  /** From the project's root, like `docs/cli.md`. */
  path: string
  text: string
}

export interface Block {
  /** The line of its fence, counted from 1. */
  line: number
  language: string
  /** The text after the language: `background`, `file=job.yaml`, `not-run: needs Docker`. */
  mark: string
  text: string
}

/** Pages that tests use as data are not checked. */
const isData = (path: string): boolean => path.startsWith('test/')

/** Every Markdown file of the project, also uncommitted ones. */
export function readPages(): Page[] {
  const flags = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', '*.md']
  const paths = execFileSync('git', flags, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  return [...new Set(paths)]
    .filter(path => !isData(path))
    .sort()
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

const fence = /^([ ]*)```([^\s`]*)[ ]*([^\n]*)\n(.*?)^\1```/gms

export const blocksOf = ({ text }: Page): Block[] =>
  [...text.matchAll(fence)].map(found => ({
    line: text.slice(0, found.index).split('\n').length,
    language: found[2]!,
    mark: found[3]!.trim(),
    text: found[4]!.replaceAll(new RegExp(`^${found[1]}`, 'gm'), ''),
  }))

/** The text without code, in which links and headings are searched. */
export const proseOf = ({ text }: Page): string =>
  text
    .replaceAll(fence, block => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, code => `\`${code.length}\``)

/** The anchors of a page's headings on GitHub: lower case, no punctuation, hyphens for spaces. */
export function anchorsOf({ text }: Page): Set<string> {
  const withoutCode = text.replaceAll(fence, '')
  const taken = new Map<string, number>()
  const anchors = [...withoutCode.matchAll(/^#{1,6} +(.+?)\s*#*$/gm)].map(([, heading]) => {
    const name = slug(heading!)
    const before = taken.get(name) ?? 0
    taken.set(name, before + 1)
    return before === 0 ? name : `${name}-${before}`
  })
  const named = [...withoutCode.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name]) => name!)
  return new Set([...anchors, ...named])
}

const slug = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}_\- ]/gu, '')
    .replaceAll(' ', '-')
