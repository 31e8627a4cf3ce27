import type { DiagnosedResponse } from '../client/terraform-client.ts'
import { describeFailure, formatPathOf, readProblems } from './diagnostics.ts'
import { createRefusal } from './provider-failure.ts'
import type { TypeSchema } from './terraform-package.ts'
import { showWarnings, type TerraformSession } from './terraform-session.ts'

/**
 * Shows the warnings of a response. If it has errors, throws ProviderError with all of them. The
 * message of the error begins with `cannot VERB 'SUBJECT'`.
 */
export function requireNoErrors(
  session: TerraformSession,
  schema: TypeSchema,
  call: { readonly verb: string; readonly subject: string; readonly response: DiagnosedResponse },
): void {
  const { verb, subject, response } = call
  const pathOptions = { type: schema.type, formatPath: formatPathOf(schema) }
  const { errors, warnings } = readProblems(response, pathOptions)
  showWarnings(session, subject, warnings)
  if (errors.length > 0) throw createRefusal(describeFailure(verb, subject, errors))
}
