import { homedir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { installing } from '../functions/surroundings/installing.ts'
import { error } from '../shared/errors/error.ts'
import { programPlace } from '../shared/programs/project-file.ts'
import { type RequiredPackage, requiredPackages } from '../shared/programs/required-packages.ts'
import { createProcesses } from '../shared/platform/system/processes.ts'
import type { InstallDeps } from '../shared/providers/install/install-plugin.ts'
import { pluginCache } from '../shared/providers/plugins/find.ts'
import type { Session } from './session.ts'

/** The kinds of plugins that there are. */
const kinds: readonly string[] = ['analyzer', 'language', 'resource', 'converter', 'tool']

/** A kind of plugin as a person wrote it. Throws CLI_USAGE. */
export function kindOf(text: string): string {
  if (kinds.includes(text)) return text
  throw error('CLI_USAGE', `unrecognized plugin kind: ${text}; there are ${kinds.join(', ')}`)
}

/** The environment without what is not set. */
export function environmentOf({ io }: Pick<Session, 'io'>): Readonly<Record<string, string>> {
  const set = Object.entries(io.env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  return Object.fromEntries(set)
}

/** The plugin cache of the user. */
export function cacheOf(session: Pick<Session, 'io'>): string {
  const env = environmentOf(session)
  return pluginCache({ env, home: env['HOME'] ?? homedir() })
}

/** Does something that may install plugins. */
export async function withInstalling<T>(
  session: Session,
  work: (deps: InstallDeps) => Promise<T>,
): Promise<T> {
  const env = environmentOf(session)
  const processes = createProcesses()
  const deps = installing({
    env,
    home: env['HOME'] ?? homedir(),
    processes,
    pause: ms => sleep(ms),
    said: (_severity, text) => session.warn(text),
  })
  try {
    return await work(deps)
  } finally {
    await processes.close()
  }
}

/** What the program of the folder needs. Throws PROJECT_*. */
export function packagesOf(session: Session): readonly RequiredPackage[] {
  return requiredPackages(programPlace(session.project()).directory)
}
