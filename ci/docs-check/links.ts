// Dead links: missing files, missing anchors, and invalid web addresses.
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { anchorsOf, type Page, proseOf, root } from './markdown.ts'

interface Link {
  page: string
  line: number
  target: string
}

/** One line per dead link, with its position. */
export function deadLinks(pages: Page[]): string[] {
  const anchors = new Map(pages.map(page => [page.path, anchorsOf(page)]))
  return pages.flatMap(linksOf).flatMap(link => {
    const wrong = whatIsWrong(link, anchors)
    return wrong ? [`${link.page}:${link.line} → ${link.target}: ${wrong}`] : []
  })
}

/** Pages that a reader can reach by links from `start`. */
export function reachedFrom(pages: Page[], start: string): Set<string> {
  const byPath = new Map(pages.map(page => [page.path, page]))
  const reached = new Set<string>()
  const ahead = [start]
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const page = byPath.get(path)
    if (page === undefined || reached.has(path)) continue
    reached.add(path)
    ahead.push(...linksOf(page).map(link => fileOf(link)))
  }
  return reached
}

export const countLinks = (pages: Page[]): number => pages.flatMap(linksOf).length

function linksOf(page: Page): Link[] {
  const prose = proseOf(page)
  return [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s+(\S+)/gm)].map(found => ({
    page: page.path,
    line: prose.slice(0, found.index).split('\n').length,
    target: found[1] ?? found[2]!,
  }))
}

function fileOf({ page, target }: Link): string {
  const [path = ''] = target.split('#')
  return path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)))
}

function whatIsWrong(link: Link, anchors: Map<string, Set<string>>): string | null {
  const { target } = link
  if (/^[a-z][a-z+.-]*:/i.test(target)) return isAddress(target) ? null : 'no address'
  const file = fileOf(link)
  const [, anchor] = target.split('#')
  if (file.startsWith('..')) return 'leads out of the project'
  if (!existsSync(join(root, file))) return 'not there'
  if (anchor === undefined || !anchors.has(file)) return null
  return anchors.get(file)!.has(decodeURIComponent(anchor)) ? null : `${file} has no heading "${anchor}"`
}

/** Only the form is checked: the check works offline and always gives the same result. */
const isAddress = (target: string): boolean => /^(https?:\/\/[^/\s]+|mailto:\S+@\S+)/.test(target)
