// Parses the XML of a workbook into events. Namespace prefixes are removed, because programs choose them freely.
import { SaxesParser } from 'saxes'

export interface XmlHandler {
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Parses XML and calls the handler. Yields after each chunk, so that the caller can use the data collected so far. */
export async function* parseXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser()
  let failed: Error | null = null
  parser.on('error', error => {
    failed ??= error
  })
  parser.on('opentag', ({ name, attributes }) => handler.open?.(localName(name), localNames(attributes)))
  parser.on('closetag', ({ name }) => handler.close?.(localName(name)))
  parser.on('text', text => handler.text?.(text))
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    parser.write(decoder.decode(chunk, { stream: true }))
    if (failed) throw failed
    yield
  }
  parser.close()
  if (failed) throw failed
}

const localNames = (attributes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]))

export async function parseWhole(
  chunks: AsyncIterable<Buffer> | undefined,
  handler: XmlHandler,
): Promise<void> {
  if (chunks) for await (const _ of parseXml(chunks, handler));
}
