import { isTruthy } from '../../shared/config/truthy.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { CliSession } from '../session/session.ts'

/** The steps before a deployment: whether to preview it, and whether to ask for confirmation. */
export interface ConfirmationSteps {
  readonly mustPreview: boolean
  readonly mustConfirm: boolean
}

/**
 * Returns the steps before a deployment. --yes, --skip-preview and PULUMI_SKIP_CONFIRMATIONS
 * replace the confirmation. With JSON output, stdout contains only the events of the deployment, so
 * no preview is shown. Throws CONFIRMATION_MISSING when a confirmation is required but no prompt is
 * possible.
 */
export function readConfirmationSteps(session: CliSession, flags: Flags): ConfirmationSteps {
  const skipPreview = flags.isSet('skipPreview')
  const isConfirmed =
    flags.isSet('yes') || skipPreview || isTruthy(session.io.env['PULUMI_SKIP_CONFIRMATIONS'])
  if (!isConfirmed && (!session.mayPrompt || isJsonOutput(flags)))
    throw createError(
      'CONFIRMATION_MISSING',
      '--yes or --skip-preview must be passed in to proceed in non-interactive mode or with --json',
    )
  return { mustPreview: !skipPreview && !isJsonOutput(flags), mustConfirm: !isConfirmed }
}
