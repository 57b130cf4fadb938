// Handling of personal data in records: the modes, and the operator's defaults per workspace.

/** What happens to personal data in records. Ordered from the least to the most strict mode. */
export const piiModes = ['keep', 'mask', 'drop'] as const
export type PiiMode = (typeof piiModes)[number]

/** The operator's default mode, with exceptions per workspace. */
export interface PiiDefaults {
  mode: PiiMode
  workspaces: Readonly<Record<string, PiiMode>>
}

export const usualPii = ({ mode, workspaces }: PiiDefaults, workspace: string): PiiMode =>
  Object.hasOwn(workspaces, workspace) ? workspaces[workspace]! : mode

export const isLessStrict = (mode: PiiMode, than: PiiMode): boolean =>
  piiModes.indexOf(mode) < piiModes.indexOf(than)

export const stricterOf = (one: PiiMode, other: PiiMode): PiiMode => (isLessStrict(one, other) ? other : one)

/** Parses `keep` or `keep,team=mask`: a mode for all, then modes of single workspaces. */
export function parsePiiDefaults(text: string): PiiDefaults {
  const parts = text.split(',').map(part => part.trim())
  const [mode, ...others] = parts
  return {
    mode: piiMode(mode!, text),
    workspaces: Object.fromEntries(
      others.map(part => {
        const [workspace, own, ...rest] = part.split('=').map(piece => piece.trim())
        if (!workspace || own === undefined || rest.length > 0)
          throw new Error(`"${part}" is not WORKSPACE=MODE; write it like keep,team=mask`)
        return [workspace, piiMode(own, text)]
      }),
    ),
  }
}

function piiMode(mode: string, text: string): PiiMode {
  if ((piiModes as readonly string[]).includes(mode)) return mode as PiiMode
  throw new Error(`"${mode}" in "${text}" is not a mode; use ${piiModes.join(', ')}`)
}
