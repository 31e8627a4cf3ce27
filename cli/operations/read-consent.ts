import { isTruthy } from '../../shared/config/truthy.ts'
import { error } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'

/** Whether to preview first, and whether to ask for confirmation. */
export interface Consent {
  readonly mustPreview: boolean
  readonly mustConfirm: boolean
}

/**
 * Returns the consent that flags give. --yes, --skip-preview and PULUMI_SKIP_CONFIRMATIONS confirm.
 * With --json, stdout contains only the events of the deployment, so no preview is shown. Throws
 * CLI_USAGE when a confirmation is required but no prompt is possible.
 */
export function readConsent(session: CliSession, flags: Flags): Consent {
  const skipPreview = flags.isSet('skipPreview')
  const isConfirmed =
    flags.isSet('yes') || skipPreview || isTruthy(session.io.env['PULUMI_SKIP_CONFIRMATIONS'])
  if (!isConfirmed && (!session.mayPrompt || flags.isSet('json')))
    throw error(
      'CLI_USAGE',
      '--yes or --skip-preview must be passed in to proceed in non-interactive mode or with --json',
    )
  return { mustPreview: !skipPreview && !flags.isSet('json'), mustConfirm: !isConfirmed }
}
