export function cheerioLinks(html: string, isForgiving: boolean): string[]
export function cheerioFields(
  html: string,
  isForgiving: boolean,
): { fields: Record<string, string | undefined>; links: string[] }
export function parse5Links(html: string): string[]
export function wholeMarkdown(html: string): string
export function readableMarkdown(html: string): { title: string; text: string; markdown: string }
