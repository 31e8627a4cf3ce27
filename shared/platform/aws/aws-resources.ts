import { type AwsVariable, awsVariables } from '../../config/aws-resource-names.ts'
import { error } from '../../errors/error.ts'
import type { Pool } from '../../records/pool.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The resources of an installation, as a function finds them. */
export interface AwsResources {
  /** Throws AWS_SETTINGS_INVALID with the name of the variable when it is not set. */
  readonly get: (place: AwsVariable) => string
  readonly pool: Pool
}

/** Returns the resources that the environment of a function names. */
export function readAwsResources(env: Env): AwsResources {
  const get = (place: AwsVariable): string => {
    const found = env[awsVariables[place]] ?? ''
    if (found === '')
      throw error('AWS_SETTINGS_INVALID', `${awsVariables[place]} is not set`, {
        hint: 'The installation sets the variables of its functions: run `antichain platform deploy`.',
      })
    return found
  }
  return { get, pool: env[awsVariables.pool] === 'long' ? 'long' : 'short' }
}
