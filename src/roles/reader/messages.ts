// Messages between a service and its reader process.
import type { DescribedField } from '../../extract/llm/pick-question.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import type { FailureJson } from '../../model/failures.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { PickAnswer, PickRequest } from '../../model/picking.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { FieldPlace, PageLook } from '../../pipeline/report/page-look.ts'
import type { PageTexts, TriedRules } from '../../pipeline/report/try-rules.ts'
import type { LookedKind, SeenAhead } from '../../pipeline/submit/sample-pages.ts'
import type { DocumentOptions, MadeDocument } from '../../pipeline/work/documents/page-document.ts'
import type { Reading } from '../../pipeline/work/reading.ts'

/** The first message to a reader process. */
export interface ReaderStart {
  scraperFiles: string[]
}

/** Each kind of request with the type of its answer. */
export interface ReaderWork {
  read: { asked: { job: LaneJob; task: LeasedTask; page: Page }; answer: Reading }
  'try-rules': { asked: { page: Page; rules: ExtractionRules | undefined }; answer: TriedRules }
  document: { asked: { page: Page; options: DocumentOptions }; answer: MadeDocument | null }
  ahead: { asked: { page: Page; as: LookedKind }; answer: SeenAhead }
  probe: { asked: { page: Page }; answer: null }
  texts: { asked: { page: Page }; answer: PageTexts | null }
  look: { asked: { page: Page }; answer: PageLook | null }
  'field-places': { asked: { page: Page; rules: ExtractionRules }; answer: FieldPlace[] }
  outline: { asked: { page: Page }; answer: string }
  'pick-all': { asked: { page: Page; picks: DescribedField[] }; answer: PickAnswer | null }
  pick: { asked: { page: Page; request: PickRequest }; answer: PickAnswer }
}
export type WorkKind = keyof ReaderWork

export type ToReader = { [Kind in WorkKind]: { kind: Kind } & ReaderWork[Kind]['asked'] }[WorkKind]

export type FromReader = { answer: ReaderWork[WorkKind]['answer'] } | { failure: FailureJson }
