import { type AwsVariable, awsVariables } from '../../config/aws-resource-names.ts'
import { error } from '../../errors/error.ts'
import type { Pool } from '../../records/pool.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where a function finds what an installation is made of. */
export interface AwsResources {
  /** Throws AWS_SETTINGS_INVALID by the name of its variable when it is not given. */
  readonly get: (place: AwsVariable) => string
  readonly pool: Pool
}

/** The places that the environment of a function names. */
export function readAwsResources(env: Env): AwsResources {
  const get = (place: AwsVariable): string => {
    const found = env[awsVariables[place]] ?? ''
    if (found === '')
      throw error('AWS_SETTINGS_INVALID', `${awsVariables[place]} is not set`, {
        hint: 'Functions get their variables from the installation: run `antichain platform deploy`.',
      })
    return found
  }
  return { get, pool: env[awsVariables.pool] === 'long' ? 'long' : 'short' }
}
