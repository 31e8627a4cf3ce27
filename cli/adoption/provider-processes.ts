import { createSystemRandom } from '../../shared/platform/system/random.ts'
import { withTerraformStarts } from '../plugins/with-terraform-starts.ts'
import type { CliSession } from '../session/session.ts'
import {
  createRunningProviders,
  type RunningProviders,
  type RunningProvidersDeps,
} from './running-providers.ts'

/** Runs a function with the providers of an adoption, and then ends their processes. */
export function withProviderProcesses<T>(
  session: CliSession,
  options: Pick<RunningProvidersDeps, 'choose' | 'stack' | 'config' | 'existingStates'> & {
    readonly programFolder: string
    readonly adopt: (providers: RunningProviders) => Promise<T>
  },
): Promise<T> {
  const { programFolder, adopt, ...providerOptions } = options
  return withTerraformStarts(session, programFolder, async starts => {
    const providers = createRunningProviders({
      ...providerOptions,
      ...starts,
      random: createSystemRandom(),
    })
    try {
      return await adopt(providers)
    } finally {
      await providers.close()
    }
  })
}
