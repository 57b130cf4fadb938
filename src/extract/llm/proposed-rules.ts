// Rules that a model proposes. They are requested once per job. They are used only if they find the values of golden
// pages and the confirmed values of the job.
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { Extracted, Json } from '../../model/record.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { NodeId } from '../document/index.ts'
import {
  type CompiledField,
  type CompiledRules,
  compileRules,
  type IncompleteRecord,
} from '../rules/index.ts'
import { parseAnswer } from './check-answer.ts'
import type { Model } from './model.ts'
import { proposalQuestion } from './proposal-question.ts'
import { disagreement, valuesBy } from './rule-values.ts'
import type { ConfirmedPage, ConfirmedRow, RuledPage } from './ruled-page.ts'
import type { ProposalTurn } from './token-budget.ts'

/** Golden pages of a scraper: stored pages with their expected records. */
export interface GoldenPages {
  count: number
  /** Applies the rules to every golden page. Null if they give the expected records, otherwise a description
   *  of the difference. */
  check(rules: ExtractionRules): Promise<string | null>
}

interface ProposalParts {
  model: Model
  /** The rules of the job, as its author wrote them. */
  rules: ExtractionRules
  /** Null if there are no golden pages. Then only pages of the job with confirmed values are compared. */
  golden: () => Promise<GoldenPages | null>
  /** The decision is stored with the job, so that other lanes and later runs use it too. */
  blobs: Pick<Blobs, 'get' | 'put'>
  key: string
  turn: ProposalTurn
}

/** The stored result of a proposal. */
export interface Proposal {
  model: string
  /** Describes the pages with which the rules were compared. */
  golden: string
  fields: Record<string, ProposedField>
}
export type ProposedField = { css: string; kept: true } | { css: string | null; kept: false; why: string }

/** Without golden pages, this many confirmed records are needed before rules are requested. With fewer records, wrong rules
 *  could match by chance. */
const confirmedNeeded = 3

interface KeptRule {
  css: string
  rules: CompiledRules
}

export class ProposedRules {
  readonly #parts: ProposalParts
  readonly #fields: Map<string, CompiledField>
  #confirmed: ConfirmedPage[] = []
  /** The accepted rules by field. Null until a lane of this run or an earlier run has decided. */
  #kept: Map<string, KeptRule> | null = null
  #looked: Promise<void> | null = null
  /** Results of proposed rules by page and field. They are cached, because one evaluation yields the values of all rows
   *  of a page. */
  readonly #onPage = new WeakMap<RuledPage, Map<string, Promise<Map<NodeId, Json>>>>()

  constructor(parts: ProposalParts, compiled: CompiledRules) {
    this.#parts = parts
    // Fields that contain other fields have no single selector, so they are left out.
    const simple = compiled.fields.filter(field => field.fields === null)
    this.#fields = new Map(simple.map(field => [field.name, field]))
  }

  /** Fills in values that proposed rules find. Returns the fields that are still missing. */
  async fill(page: RuledPage, record: IncompleteRecord, found: Extracted): Promise<CompiledField[]> {
    const kept = await this.#decided()
    const open: CompiledField[] = []
    for (const field of record.missing) {
      const rule = kept?.get(field.name)
      const value = rule ? (await this.#find(rule, field.name, page)).get(record.scope) : undefined
      if (value === undefined) open.push(field)
      else {
        found.data[field.name] = value
        found.provenance[field.name] = { from: 'llm', by: `${this.#parts.model.name}: ${rule!.css}` }
      }
    }
    return open
  }

  #find(rule: KeptRule, name: string, page: RuledPage): Promise<Map<NodeId, Json>> {
    const known = this.#onPage.get(page) ?? new Map<string, Promise<Map<NodeId, Json>>>()
    this.#onPage.set(page, known)
    const finding = known.get(name) ?? valuesBy(rule.rules, name, page)
    known.set(name, finding)
    return finding
  }

  /** Collects confirmed values. When there are enough, requests rules from the model. */
  async learn(page: RuledPage, rows: ConfirmedRow[]): Promise<void> {
    if (rows.length === 0 || this.#kept || !this.#parts.turn.isOpen) return
    this.#confirmed.push({ page, rows })
    const golden = await this.#parts.golden()
    const count = this.#confirmed.reduce((sum, one) => sum + one.rows.length, 0)
    if (count < (golden ? 1 : confirmedNeeded) || !this.#parts.turn.take()) return
    const confirmed = this.#confirmed
    this.#confirmed = []
    await this.#decide(await this.#propose(confirmed, golden))
  }

  async #decide(proposal: Proposal): Promise<void> {
    const { blobs, key, turn } = this.#parts
    await blobs.put(key, Buffer.from(`${JSON.stringify(proposal, null, 2)}\n`))
    this.#kept = this.#compiled(proposal)
    turn.decided()
  }

  /** The stored decision. It is read at the start, because an earlier run may have stored it, and again after
   *  a lane of this run has decided. */
  async #decided(): Promise<Map<string, KeptRule> | null> {
    if (this.#kept) return this.#kept
    if (this.#looked === null || this.#parts.turn.isDecided) this.#looked = this.#look()
    await this.#looked
    return this.#kept
  }

  async #look(): Promise<void> {
    const { blobs, key, turn } = this.#parts
    const bytes = await blobs.get(key)
    if (bytes === null) return
    this.#kept = this.#compiled(JSON.parse(bytes.toString()) as Proposal)
    this.#confirmed = []
    turn.decided()
  }

  #compiled({ fields }: Proposal): Map<string, KeptRule> {
    const kept = new Map<string, KeptRule>()
    for (const [name, proposed] of Object.entries(fields)) {
      const field = this.#fields.get(name)
      const rules = proposed.kept && field ? this.#compile(proposed.css, field) : null
      if (rules) kept.set(name, { css: proposed.css!, rules })
    }
    return kept
  }

  async #propose(confirmed: ConfirmedPage[], golden: GoldenPages | null): Promise<Proposal> {
    const { model, rules } = this.#parts
    const fields = this.#knownEverywhere(confirmed)
    const proposal: Proposal = { model: model.name, golden: goldenText(confirmed, golden), fields: {} }
    if (fields.length === 0) return proposal
    const { question, about } = proposalQuestion(fields, confirmed, rules.each)
    const asText = fields.map(selectorField)
    const told = await model.ask(question, about, content => parseAnswer(content, asText) !== null)
    const answer = 'content' in told ? parseAnswer(told.content, asText) : null
    const none = 'why' in told ? told.why : 'the model’s answer does not have the requested shape'
    for (const field of fields)
      proposal.fields[field.name] = answer
        ? await this.#judge(field, answer[field.name] as string | null, confirmed, golden)
        : { css: null, kept: false, why: none }
    return proposal
  }

  async #judge(
    field: CompiledField,
    css: string | null,
    confirmed: ConfirmedPage[],
    golden: GoldenPages | null,
  ): Promise<ProposedField> {
    if (css === null) return { css, kept: false, why: 'the model proposed no selector' }
    const rules = this.#compile(css, field)
    if (rules === null) return { css, kept: false, why: 'it is not a CSS selector' }
    const why = (await disagreement(rules, field, confirmed)) ?? (await this.#failsGolden(field, css, golden))
    return why === null ? { css, kept: true } : { css, kept: false, why }
  }

  /** Compares with the golden pages. The proposed rule replaces the field's own rule, because that rule could
   *  also find the value. */
  async #failsGolden({ name, as, many, required }: CompiledField, css: string, golden: GoldenPages | null) {
    const { rules } = this.#parts
    const fields = { ...rules.fields, [name]: { css, as, many, required } }
    try {
      return (await golden?.check({ ...rules, fields })) ?? null
    } catch (error) {
      return `the golden pages can't be run: ${asFailure(error).message}`
    }
  }

  /** Fields with a confirmed value in every row of the question. */
  #knownEverywhere(confirmed: ConfirmedPage[]): CompiledField[] {
    const rows = confirmed.flatMap(({ rows }) => rows)
    return [...this.#fields.values()].filter(({ name }) => rows.every(({ values }) => values.has(name)))
  }

  /** Null if the selector is invalid. */
  #compile(css: string, { name, as, many }: CompiledField): CompiledRules | null {
    const { each } = this.#parts.rules
    try {
      return compileRules({ ...(each !== undefined && { each }), fields: { [name]: { css, as, many } } })
    } catch (error) {
      if (error instanceof Failure) return null
      throw error
    }
  }
}

function goldenText(confirmed: ConfirmedPage[], golden: GoldenPages | null): string {
  const rows = confirmed.reduce((sum, one) => sum + one.rows.length, 0)
  const own = `${rows} confirmed ${rows === 1 ? 'record' : 'records'} of this job`
  return golden ? `${golden.count} golden pages of the scraper, and ${own}` : own
}

/** The field as one text value, because the model returns one selector for each field, whatever its type. */
const selectorField = (field: CompiledField): CompiledField => ({
  ...field,
  many: false,
  as: 'text',
  fields: null,
})
