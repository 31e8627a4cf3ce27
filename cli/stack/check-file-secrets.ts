import { createError } from '../../shared/errors/error.ts'
import { hasSecure } from '../../shared/programs/config/config-tree.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'

/** Reports whether the configuration file of a stack names a secrets manager. */
export function hasSecretsManager(file: StackConfig): boolean {
  return Object.values(file.getSecretsSettings()).some(text => text !== '')
}

/**
 * Reports whether a file has encrypted values but names no manager, like the files of Pulumi's
 * service. A new manager cannot open these values. The manager of an imported state can.
 */
export function needsManagerOfState(file: StackConfig): boolean {
  return !hasSecretsManager(file) && [...file.getValues().values()].some(hasSecure)
}

/**
 * Refuses a file with values that a newly created manager could not open. Throws
 * SECRETS_PROVIDER_CHANGED.
 */
export function refuseForeignValues(file: StackConfig): void {
  if (!needsManagerOfState(file)) return
  throw createError(
    'SECRETS_PROVIDER_CHANGED',
    `${file.path} has encrypted values, but neither the file nor a state names their secrets provider`,
    {
      hint: 'Import the state of the stack first, or pass its service to `antichain stack init` with --secrets-provider service://<host>/<organization>/<project>/<stack>.',
    },
  )
}
