// Secrets: credentials by name, for actions that log in. They are read when they are used, and never printed or kept.

/**
 * Gives a credential by its name (`SHOP_PASSWORD`), or null where there is none of that name. Promises:
 * - What comes back is never logged, stored or put into an error by the implementation; whoever asked keeps to the same.
 * - A name that was asked for before may be answered from memory; a changed secret is seen by the next process at the latest.
 */
export interface Secrets {
  get(name: string): Promise<string | null>
  /** The names there are, for "did you mean": never the values. */
  names(): Promise<string[]>
}
