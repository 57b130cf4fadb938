// Headers as a list, because names may repeat.

export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>
