// Alternative names of commands, for users of the earlier worker system.

const otherNames: Readonly<Record<string, readonly string[]>> = {
  'create-job': ['jobs', 'create'],
  'list-jobs': ['jobs', 'list'],
  'job-status': ['jobs', 'show'],
  'cancel-job': ['jobs', 'cancel'],
}

/** Replaces an alternative name by the command's own name. */
export function withOwnName(args: string[]): string[] {
  const [first, ...rest] = args
  const own = first !== undefined && Object.hasOwn(otherNames, first) ? otherNames[first] : undefined
  return own ? [...own, ...rest] : args
}
