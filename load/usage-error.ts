// Something that whoever started the run can put right: said as it is, without a stack.
export class UsageError extends Error {}
