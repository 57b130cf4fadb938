// Reads the data of a workbook that cells refer to: the first sheet, shared texts, and date styles.
import { Failure } from '../../model/failures.ts'
import { isDateFormat } from './cell-values.ts'
import { parseWhole } from './xml-events.ts'
import type { ZipEntry } from './zip-entries.ts'

export interface Workbook {
  /** The first visible sheet. */
  sheet: ZipEntry
  texts: string[]
  /** By style number: whether cells of this style show a date. */
  dateStyles: boolean[]
  /** Whether dates count from 1904, as in Excel on early Macs, and not from 1900. */
  from1904: boolean
}

type Entries = Map<string, ZipEntry>

/** Limit of shared texts in characters, because they are in memory. A file with more is an attack, or should be saved as CSV. */
const mostSharedCharacters = 250_000_000

export async function readWorkbook(entries: Entries, path: string): Promise<Workbook> {
  const packageRelations = await relationsOf(entries, '')
  const main =
    packageRelations.find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml'
  const sheets: Array<{ id: string; isVisible: boolean }> = []
  let from1904 = false
  await parseWhole(entryOf(entries, main)?.open(), {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      if (name === 'sheet')
        sheets.push({ id: attributes.id ?? '', isVisible: !/hidden/i.test(attributes.state ?? '') })
    },
  })
  const relations = await relationsOf(entries, main)
  const chosen = sheets.find(({ isVisible }) => isVisible) ?? sheets[0]
  const sheet = entryOf(entries, relations.find(({ id }) => id === chosen?.id)?.target)
  if (!sheet)
    throw new Failure('input.invalid', `${path} has no Excel sheet; save it as .xlsx or .csv`, { path })
  const target = (kind: string) => relations.find(({ type }) => type.endsWith(`/${kind}`))?.target
  return {
    ...{ sheet, from1904 },
    texts: await sharedTexts(entryOf(entries, target('sharedStrings')), path),
    dateStyles: await dateStylesOf(entryOf(entries, target('styles'))),
  }
}

const entryOf = (entries: Entries, name: string | undefined): ZipEntry | undefined =>
  name === undefined ? undefined : entries.get(name.toLowerCase())

interface Relation {
  id: string
  type: string
  /** Path of the target from the root of the archive. */
  target: string
}

async function relationsOf(entries: Entries, name: string): Promise<Relation[]> {
  const [folder, file] = [name.slice(0, name.lastIndexOf('/') + 1), name.slice(name.lastIndexOf('/') + 1)]
  const relations: Relation[] = []
  await parseWhole(entryOf(entries, `${folder}_rels/${file}.rels`)?.open(), {
    open(element, { Id = '', Type = '', Target = '' }) {
      if (element === 'Relationship')
        relations.push({ id: Id, type: Type, target: new URL(Target, `zip:/${folder}`).pathname.slice(1) })
    },
  })
  return relations
}

async function sharedTexts(entry: ZipEntry | undefined, path: string): Promise<string[]> {
  const texts: string[] = []
  const text = new RichText()
  let characters = 0
  await parseWhole(entry?.open(), {
    open: name => text.open(name),
    text: piece => text.add(piece),
    close(name) {
      text.close(name)
      if (name !== 'si') return
      const taken = text.take()
      characters += taken.length
      if (characters > mostSharedCharacters)
        throw new Failure('input.invalid', `${path} has too much text; save it as .csv`, { path })
      texts.push(taken)
    },
  })
  return texts
}

/** Collects the text of `<t>` elements, without pronunciation guides. */
export class RichText {
  #text = ''
  #isOpen = false
  #isPhonetic = false

  open(name: string): void {
    if (name === 't') this.#isOpen = true
    if (name === 'rPh') this.#isPhonetic = true
  }

  add(piece: string): void {
    if (this.#isOpen && !this.#isPhonetic) this.#text += piece
  }

  close(name: string): void {
    if (name === 't') this.#isOpen = false
    if (name === 'rPh') this.#isPhonetic = false
  }

  take(): string {
    const text = this.#text
    this.#text = ''
    return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  }
}

async function dateStylesOf(entry: ZipEntry | undefined): Promise<boolean[]> {
  const codes = new Map<number, string>()
  const styles: boolean[] = []
  let isCellStyle = false
  await parseWhole(entry?.open(), {
    open(name, attributes) {
      if (name === 'numFmt') codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '')
      if (name === 'cellXfs') isCellStyle = true
      if (name !== 'xf' || !isCellStyle) return
      const id = Number(attributes.numFmtId ?? 0)
      styles.push(isDateFormat(id, codes.get(id)))
    },
    close(name) {
      if (name === 'cellXfs') isCellStyle = false
    },
  })
  return styles
}
