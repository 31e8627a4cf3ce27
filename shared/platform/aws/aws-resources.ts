import {
  type AwsVariable,
  awsVariables,
  groupInstallationOf,
} from '../../config/aws-resource-names.ts'
import { defaultGroup, parseStackGroups, type StackGroup } from '../../config/stack-groups.ts'
import { createError } from '../../errors/error.ts'
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
      throw createError('AWS_SETTINGS_INVALID', `${awsVariables[variable]} is not set`, {
        hint: 'The installation sets the variables of its functions: run `antichain platform deploy`.',
      })
    return value
  }
  return { get, pool: env[awsVariables.pool] === 'long' ? 'long' : 'short' }
}

/** Variables whose value is the same in all groups. */
const commonVariables: readonly AwsVariable[] = [
  ...(['scheduleGroup', 'scheduleRole', 'scheduleFunction', 'apiFunction'] as const),
  ...(['installerFunction', 'streamsMax', 'webhookUrl', 'serviceUrl', 'inlineMax'] as const),
]

/** A group besides the default one, and its resources. */
export interface GroupAwsResources extends StackGroup {
  readonly resources: AwsResources
}

/** Returns the groups besides the default one. Throws AWS_SETTINGS_INVALID. */
export function readStackGroups(env: Env): readonly StackGroup[] {
  const groups = parseStackGroups(env[awsVariables.groups] ?? '')
  if ('problem' in groups)
    throw createError('AWS_SETTINGS_INVALID', `${awsVariables.groups}: ${groups.problem}`)
  return groups
}

/**
 * Returns the resources of the groups besides the default one, for a function that all groups
 * share. Derives the names of these resources from the environment, which has the names of the
 * default group. Throws AWS_SETTINGS_INVALID.
 */
export function readGroupResources(env: Env): readonly GroupAwsResources[] {
  const defaultResources = readAwsResources(env)
  const keys = (env[awsVariables.groupKeys] ?? '').split(',')
  return readStackGroups(env).map((group, index) => ({
    ...group,
    resources: {
      pool: defaultResources.pool,
      get: variable => {
        if (variable === 'secretsKey') return keys[index] || failWithoutKey(group)
        const value = defaultResources.get(variable)
        if (commonVariables.includes(variable)) return value
        if (variable === 'bucket') return `${value}-${group.name}`
        const installation = defaultResources.get('installation')
        const groupInstallation = groupInstallationOf(installation, group.name)
        if (variable === 'installation') return groupInstallation
        // The value is a name, or a URL or an ARN that ends with a name.
        const nameIndex = Math.max(value.lastIndexOf('/'), value.lastIndexOf(':')) + 1
        const suffix = value.slice(nameIndex + installation.length)
        return `${value.slice(0, nameIndex)}${groupInstallation}${suffix}`
      },
    },
  }))
}

function failWithoutKey({ name }: StackGroup): never {
  throw createError(
    'AWS_SETTINGS_INVALID',
    `${awsVariables.groupKeys} has no key for the group '${name}'`,
    {
      hint: 'The installation sets the variables of its functions: run `antichain platform deploy`.',
    },
  )
}

/** Returns the name of the group whose functions have this environment. */
export function readOwnGroup(env: Env): string {
  // Only the name of a group's installation contains `_` (`groupInstallationOf`).
  const [, group] = readAwsResources(env).get('installation').split('_')
  return group ?? defaultGroup
}
