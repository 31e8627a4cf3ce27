import { type AwsVariable, awsVariables } from '../../config/aws-resource-names.ts'
import { error } from '../../errors/error.ts'
import type { Pool } from '../../records/pool.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The names, URLs and ARNs of an installation's resources, read from the environment of a function
 * or task.
 */
export interface AwsResources {
  /** Returns a name, URL or ARN. Throws AWS_SETTINGS_INVALID when the variable is not set. */
  readonly get: (variable: AwsVariable) => string
  /** The pool of the function or task: `long` for a task of the long pool, `short` otherwise. */
  readonly pool: Pool
}

/** Returns the resources that the environment of a function or task names. */
export function readAwsResources(env: Env): AwsResources {
  const get = (variable: AwsVariable): string => {
    const value = env[awsVariables[variable]] ?? ''
    if (value === '')
      throw error('AWS_SETTINGS_INVALID', `${awsVariables[variable]} is not set`, {
        hint: 'The installation sets the variables of its functions: run `antichain platform deploy`.',
      })
    return value
  }
  return { get, pool: env[awsVariables.pool] === 'long' ? 'long' : 'short' }
}
