import { homedir } from 'node:os'
import { withoutUndefined } from '../../programs/hosts/program-environment.ts'
import { findPlugin } from '../../providers/plugins/find-plugin.ts'
import type { FetchPlugin } from './fetch-plugin.ts'

/**
 * Creates the function that installs a language host from the store of an installation, and returns
 * the path of its executable. The host is the newest stored version, or the latest version of an
 * allowed source. The created function returns undefined if there is none, and throws the errors of
 * `fetchPlugin`. Without a store, no function is created, and the result is undefined.
 */
export function createLanguageHostFetcher(
  fetchPlugin: FetchPlugin | undefined,
  userVariables: Readonly<Record<string, string | undefined>>,
): ((language: string) => Promise<string | undefined>) | undefined {
  if (fetchPlugin === undefined) return undefined
  const env = withoutUndefined(userVariables)
  return async language => {
    const plugin = { kind: 'language', name: language, version: '', downloadUrl: '' }
    if (!(await fetchPlugin(plugin))) return undefined
    const lookup = findPlugin(plugin, { env, home: env['HOME'] ?? homedir(), path: '' })
    return 'missing' in lookup ? undefined : lookup.path
  }
}
