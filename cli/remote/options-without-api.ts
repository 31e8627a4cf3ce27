import { createError } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'

/**
 * Options of operations. The API does not support these options. `name`: the option in camel case.
 * `text`: the option in the message of the refusal. If `value` is present, only this value is
 * refused.
 */
export const optionsWithoutApi: readonly (readonly [name: string, text: string, value?: string])[] =
  [
    ['functionLimit', '--function-limit'],
    ['configFile', '--config-file'],
    ['client', '--client'],
    ['clearPendingCreates', '--clear-pending-creates'],
    ['importPendingCreates', '--import-pending-creates'],
    ['skipConfigValidation', '--skip-config-validation'],
    ['showSecrets', '--show-secrets'],
    ['remove', '--remove'],
    ['savePlan', '--save-plan'],
    ['strict', '--strict'],
    ['plan', '--plan'],
    ['policyPack', '--policy-pack'],
    ['attachDebugger', '--attach-debugger'],
    ['execute', '--execute elsewhere', 'elsewhere'],
  ]

/** Refuses the options that the API does not support. Throws FEATURE_MISSING, which names one. */
export function refuseLocalOptions(flags: Flags): void {
  const refused = optionsWithoutApi.find(([name, , value]) => isRefused(flags, name, value))
  if (refused === undefined) return
  throw createError('FEATURE_MISSING', `the API does not support ${refused[1]} yet`, {
    hint: 'Omit the option, or run `antichain logout` and then the command on the machine that has the store.',
  })
}

function isRefused(flags: Flags, name: string, value: string | undefined): boolean {
  const text = flags.text(name)
  if (value !== undefined) return text === value
  return flags.isSet(name) || text !== undefined || flags.list(name).length > 0
}
