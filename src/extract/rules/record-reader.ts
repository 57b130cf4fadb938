// Extracts the records of one page, field by field.
import type { Coerce, CoerceContext } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import type { Extracted, FieldSource, Json, Provenance, RecordData } from '../../model/record.ts'
import type { NodeId } from '../document/index.ts'
import type { PageFacts } from '../page-facts.ts'
import type { RegexAnswer, RegexJob } from '../regex-jobs.ts'
import type { CompiledField, CompiledRules, Lookup } from './compiled-rules.ts'
import { allTexts, findNodes, firstText } from './find-texts.ts'
import { jsonLdValues } from './json-ld-field.ts'

/** Stands for a missing value and contains the reason. */
class Missing {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** All values that were not found share this object. The field's provenance says what was searched. */
const nothingFound = new Missing('')

export interface IncompleteRecord extends Extracted {
  /** The element in which fields are searched; 0 for the whole page. */
  scope: NodeId
  missing: CompiledField[]
}

export class RecordReader {
  readonly #facts: PageFacts
  readonly #page: { url: string; source: string }
  readonly #coerce: Coerce
  readonly #askRegex: (job: RegexJob) => RegexAnswer
  readonly #forReaders: CoerceContext
  readonly #forPrograms: CoerceContext

  constructor(
    facts: PageFacts,
    context: { url: string; baseUrl: string; source: string; fetchedAt?: number; coerce: Coerce },
    askRegex: (job: RegexJob) => RegexAnswer,
  ) {
    const { baseUrl } = context
    const { language } = facts
    this.#facts = facts
    this.#page = context
    this.#coerce = context.coerce
    this.#askRegex = askRegex
    const now = context.fetchedAt === undefined ? {} : { now: context.fetchedAt }
    this.#forReaders = { baseUrl, language, machine: false, ...now }
    this.#forPrograms = { baseUrl, language, machine: true, ...now }
  }

  read({ each, fields }: CompiledRules): Extracted[] {
    const scopes = each === null ? [0] : this.#rows(each)
    const records: Extracted[] = []
    for (const scope of scopes) {
      const provenance: Provenance = {}
      const data = this.#readFields(fields, scope, provenance, '')
      if (data !== null) records.push({ data, provenance })
    }
    return records
  }

  /** Also returns records that lack required fields, so that a model can complete them. */
  readIncomplete({ each, fields }: CompiledRules): IncompleteRecord[] {
    const scopes = each === null ? [0] : this.#rows(each)
    return scopes.map(scope => {
      const provenance: Provenance = {}
      const missing: CompiledField[] = []
      const data = this.#readFields(fields, scope, provenance, '', missing)!
      return { data, provenance, scope, missing }
    })
  }

  #rows(each: Lookup): NodeId[] {
    try {
      return findNodes(this.#facts.document, each, 0)
    } catch (error) {
      if (!isTooSlow(error)) throw error
      throw new Failure(error.code, `${this.#page.url}: each: ${error.message}`, error.details, {
        cause: error,
      })
    }
  }

  /** Null if a required field is missing and incomplete records are not requested. Reads all fields even then, so that
   *  regex results stay in order. */
  #readFields(
    fields: CompiledField[],
    scope: NodeId,
    provenance: Provenance | null,
    prefix: string,
    lacking: CompiledField[] | null = null,
  ): RecordData | null {
    const data: RecordData = {}
    let isComplete = true
    for (const field of fields) {
      const key = prefix === '' ? field.name : prefix + field.name
      const value = this.#readField(field, scope, provenance, key)
      const isMissing = value instanceof Missing
      data[field.name] = isMissing ? standIn(field) : value
      if (provenance !== null) provenance[key] = isMissing ? sourceOfMissing(field, value) : field.found
      if (!isMissing || field.fallback !== undefined) continue
      if (field.required) isComplete = lacking !== null
      if (field.required || field.wanted) lacking?.push(field)
    }
    return isComplete ? data : null
  }

  #readField(
    field: CompiledField,
    scope: NodeId,
    provenance: Provenance | null,
    key: string,
  ): Json | Missing {
    try {
      if (field.fields !== null) return this.#readNested(field, field.fields, scope, provenance, key)
      if (field.regex !== null) return this.#readByRegex(field, scope)
      if (field.lookup.by === 'jsonld') return this.#readJsonLd(field)
      return field.many ? this.#readMany(field, scope) : this.#readOne(field, scope)
    } catch (error) {
      // If a selector is too slow for this page, only its field is missing, not the record.
      if (isTooSlow(error)) return new Missing(error.message)
      throw error
    }
  }

  #readOne(field: CompiledField, scope: NodeId): Json | Missing {
    const text = firstText(this.#facts, field, scope)
    return text === null ? nothingFound : this.#typed(text, field)
  }

  #readMany(field: CompiledField, scope: NodeId): Json | Missing {
    return this.#typedAll(allTexts(this.#facts, field, scope), field)
  }

  #readJsonLd(field: CompiledField): Json | Missing {
    const values = jsonLdValues(this.#facts, field, this.#coerce, this.#forPrograms)
    if (values.length === 0) return nothingFound
    return field.many ? values : values[0]!
  }

  #readByRegex(field: CompiledField, scope: NodeId): Json | Missing {
    const { many } = field
    const isWholePage = field.lookup.by === 'source' && scope === 0
    const texts = isWholePage ? [this.#page.source] : allTexts(this.#facts, field, scope)
    const found: string[] = []
    let why = ''
    for (const text of many ? texts : texts.slice(0, 1)) {
      const answer = this.#askRegex({ ...field.regex!, text, many })
      if ('why' in answer) why = answer.why
      else found.push(...answer.found)
    }
    if (found.length === 0) return why === '' ? nothingFound : new Missing(why)
    return many ? this.#typedAll(found, field) : this.#typed(found[0]!, field)
  }

  #readNested(
    field: CompiledField,
    fields: CompiledField[],
    scope: NodeId,
    provenance: Provenance | null,
    key: string,
  ): Json | Missing {
    const { document } = this.#facts
    const scopes = findNodes(document, field.lookup, scope)
    if (!field.many) {
      if (scopes.length === 0) return nothingFound
      return this.#readFields(fields, scopes[0]!, provenance, `${key}.`) ?? requiredMissing
    }
    const objects = scopes
      .map(inner => this.#readFields(fields, inner, null, ''))
      .filter(data => data !== null)
    return objects.length === 0 ? nothingFound : objects
  }

  #typed(text: string, field: CompiledField): Json | Missing {
    const value = this.#coerce(text, field.as, this.#contextFor(field))
    if (value !== null && value !== '') return value
    return new Missing(
      text.trim() === '' ? 'found, but empty' : `${quote(text)} cannot be read as ${field.as}`,
    )
  }

  #typedAll(texts: string[], field: CompiledField): Json | Missing {
    const values: Json[] = []
    let last: Missing = nothingFound
    for (const text of texts) {
      const value = this.#typed(text, field)
      if (value instanceof Missing) last = value
      else values.push(value)
    }
    return values.length === 0 ? last : values
  }

  #contextFor({ lookup }: CompiledField): CoerceContext {
    return lookup.by === 'meta' || lookup.by === 'jsonld' ? this.#forPrograms : this.#forReaders
  }
}

const isTooSlow = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'extract.too-slow'

const requiredMissing = new Missing('a required field of the object is missing')

/** The value for a missing field: the rule's default, an empty list, or null. */
function standIn(field: CompiledField): Json {
  if (field.fallback !== undefined) return field.fallback
  return field.many ? [] : null
}

function sourceOfMissing(field: CompiledField, { why }: Missing): FieldSource {
  if (field.fallback !== undefined) return { from: 'default', why: why || field.missing.why! }
  return why === '' ? field.missing : { ...field.missing, why }
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line)
}
