// Opens the data directory for reading, for commands that run nothing.
import { type Loaded, loadSettings } from '../../config/load.ts'
import { type DataDirectory, visitDataDirectory } from '../../roles/data-directory.ts'
import { settingsOf } from '../flags/flag-spec.ts'
import type { CommonFlags } from '../flags/flags.ts'

export const settingsFor = (flags: CommonFlags): Promise<Loaded> => loadSettings(settingsOf(flags))

export async function visit(flags: CommonFlags): Promise<DataDirectory> {
  return visitDataDirectory((await settingsFor(flags)).settings.dataDir)
}
