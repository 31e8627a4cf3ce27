import { requireNoErrors } from './require-no-errors.ts'
import { emptyMap } from '../../../values/value.ts'
import type { CallResult, Provider } from '../../provider.ts'
import { isWhollyKnown } from '../values/cty-value.ts'
import { buildInvokeConfig } from './invoke-config.ts'
import { createRefusal, describeProviderBug, requireNoDeferral } from './provider-failure.ts'
import type { TypeSchema } from './terraform-package.ts'
import { type TerraformSession } from './terraform-session.ts'

/**
 * Plans an action and, outside of a preview, runs it. Shows its progress to the user. An action has
 * no outputs. Throws ProviderError.
 */
export async function runAction(
  session: TerraformSession,
  action: TypeSchema,
  { token, args, preview }: Parameters<Provider['invoke']>[0],
): Promise<CallResult> {
  const { client, pkg } = session
  const actionType = action.typeName
  const config = await buildInvokeConfig(session, action, {
    token,
    args,
    validate: encoded => client.validateActionConfig({ actionType, config: encoded }),
  })
  if (config.failures.length > 0) return { outputs: emptyMap, failures: config.failures }
  const emptyResult = { outputs: emptyMap, failures: [] }
  // Only previews have unknown arguments.
  if (!isWhollyKnown(config.value)) return emptyResult
  const request = { actionType, config: config.encoded }
  const planned = await client.planAction(request)
  requireNoErrors(session, action, { verb: 'plan the action', subject: token, response: planned })
  requireNoDeferral(pkg.name, `the action '${token}'`, planned)
  if (preview) return emptyResult
  for await (const event of client.invokeAction(request)) {
    if (event.kind === 'progress') session.inform(`${token}: ${event.message}`)
    else {
      requireNoErrors(session, action, { verb: 'run the action', subject: token, response: event })
      return emptyResult
    }
  }
  const flaw = { message: 'the events of the action ended before its completion', path: [] }
  throw createRefusal(describeProviderBug(pkg.name, `ran '${token}' wrongly`, [flaw]))
}
