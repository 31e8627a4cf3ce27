import {
  ParameterizeRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { createError } from '../../errors/error.ts'
import type { Provider } from '../provider.ts'
import { callProvider, type ProviderSession } from './provider-session.ts'

type ParameterizeInput = Parameters<Provider['parameterize']>[0]

/**
 * Calls Parameterize with the parameterization of the program's package. Throws ProviderError, and
 * PLUGIN_FAILED when the response names another package. Source:
 * docs/spec/provider-protocol.md#parameterization.
 */
export async function callParameterize(
  session: ProviderSession,
  input: ParameterizeInput,
): Promise<void> {
  const { name, version, value } = input
  const packageParameters = { name, version, value: Buffer.from(value, 'base64') }
  const request = ParameterizeRequest.create({
    parameters: { $case: 'value', value: packageParameters },
  })
  const response = await callProvider(session, service.parameterize, { request })
  if (response.name === name) return
  throw createError(
    'PLUGIN_FAILED',
    `parameterize response name "${response.name}" does not match expected package "${name}"`,
  )
}

/**
 * Calls Parameterize with the arguments of a command line. Returns the package that the plugin
 * serves from then on. Throws ProviderError.
 */
export async function callParameterizeByArguments(
  session: ProviderSession,
  args: readonly string[],
): Promise<{ readonly name: string; readonly version: string }> {
  const request = ParameterizeRequest.create({
    parameters: { $case: 'args', value: { args: [...args] } },
  })
  const { name, version } = await callProvider(session, service.parameterize, { request })
  return { name, version }
}
