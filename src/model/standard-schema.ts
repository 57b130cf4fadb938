// The Standard Schema interface, which zod, valibot, arktype and others implement.

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

export type InputOf<Schema> = Schema extends StandardSchema<infer Input, unknown> ? Input : never
export type OutputOf<Schema> = Schema extends StandardSchema<infer _, infer Output> ? Output : never

/** One line per problem, like `parcel: must match …`. */
export const issueLines = (issues: ReadonlyArray<StandardIssue>): string[] =>
  issues.map(issue => `${issuePath(issue) || '(whole)'}: ${issue.message}`)

const issuePath = (issue: StandardIssue): string =>
  (issue.path ?? []).map(part => String(typeof part === 'object' ? part.key : part)).join('.')
