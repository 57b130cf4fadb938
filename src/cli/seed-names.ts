// Other names of commands: as the plan of the worker system calls them.

const otherNames: Readonly<Record<string, readonly string[]>> = {
  'create-job': ['jobs', 'create'],
  'list-jobs': ['jobs', 'list'],
  'job-status': ['jobs', 'show'],
  'cancel-job': ['jobs', 'cancel'],
}

/** The arguments with the command's own name. */
export function withOwnName(args: string[]): string[] {
  const [first, ...rest] = args
  const own = first !== undefined && Object.hasOwn(otherNames, first) ? otherNames[first] : undefined
  return own ? [...own, ...rest] : args
}
