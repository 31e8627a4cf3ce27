import {
  CheckRequest,
  ConfigureRequest,
  DiffRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { packageOf } from '../../names/provider-reference.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { encodeWireValue } from '../../values/encode-wire.ts'
import type { Provider } from '../provider.ts'
import { parseDiff, unknownDiff } from './check-diff.ts'
import type { ProviderCapabilities } from './negotiation.ts'
import {
  createReceiveOptions,
  createConfigSendOptions,
  configureSendOptions,
} from './transfer-options.ts'
import { containsUnknown, restoreSecretMarks } from '../../values/special-values.ts'
import {
  callProvider,
  isUnimplemented,
  decodeProperties,
  type ProviderSession,
  encodeProperties,
} from './provider-session.ts'

type CallInput<M extends keyof Provider> = Provider[M] extends (request: infer Input) => unknown
  ? Input
  : never

/**
 * Calls CheckConfig. A provider without CheckConfig accepts every configuration. The secret marks
 * of the inputs are always restored, because CheckConfig gets no wrapped secrets.
 */
export async function callCheckConfig(
  session: ProviderSession,
  input: CallInput<'checkConfig'>,
): ReturnType<Provider['checkConfig']> {
  const method = service.checkConfig
  const { urn, name, type, oldInputs, newInputs, allowUnknowns } = input
  const options = createConfigSendOptions({ unknowns: allowUnknowns })
  const request = CheckRequest.create({
    urn,
    name,
    type,
    // Pulumi sends an empty map for a new provider.
    olds: encodeProperties(session, method, { map: oldInputs ?? emptyMap, options }),
    news: encodeProperties(session, method, { map: newInputs, options }),
  })
  try {
    const { inputs, failures } = await callProvider(session, method, { request })
    const checkedInputs = decodeProperties(session, method, {
      struct: inputs,
      options: createReceiveOptions({ unknowns: allowUnknowns }),
    })
    return { inputs: restoreSecretMarks(newInputs, checkedInputs), failures }
  } catch (thrown) {
    if (isUnimplemented(thrown)) return { inputs: newInputs, failures: [] }
    throw thrown
  }
}

/**
 * Calls DiffConfig. The diff of a provider without DiffConfig is unknown, and never requires a
 * replacement.
 */
export async function callDiffConfig(
  session: ProviderSession,
  input: CallInput<'diffConfig'>,
): ReturnType<Provider['diffConfig']> {
  const method = service.diffConfig
  const options = createConfigSendOptions({ unknowns: true })
  const encode = (map: PropertyMap): Record<string, unknown> =>
    encodeProperties(session, method, { map, options })
  const request = DiffRequest.create({
    urn: input.urn,
    name: input.name,
    type: input.type,
    oldInputs: encode(input.oldInputs),
    olds: encode(input.oldOutputs),
    news: encode(input.newInputs),
    ignoreChanges: [...input.ignoreChanges],
  })
  try {
    return parseDiff(session, method, await callProvider(session, method, { request }))
  } catch (thrown) {
    if (isUnimplemented(thrown)) return unknownDiff
    throw thrown
  }
}

/**
 * Calls Configure. The call is skipped when an input other than the version is unknown; the
 * instance is then unconfigured. Later calls wait for Configure and fail with its error
 * (docs/spec/provider-protocol.md#configure).
 */
export async function configureProvider(
  session: ProviderSession,
  input: CallInput<'configure'>,
): Promise<void> {
  const { inputs } = input
  for (const [key, value] of inputs)
    if (key !== 'version' && containsUnknown(value)) return session.setConfigureOutcome(undefined)
  const outcome = callConfigure(session, input)
  session.setConfigureOutcome(outcome)
  await outcome
}

async function callConfigure(
  session: ProviderSession,
  input: CallInput<'configure'>,
): Promise<ProviderCapabilities> {
  const method = service.configure
  const { urn, name, type, id, inputs } = input
  const request = ConfigureRequest.create({
    variables: toVariables(packageOf(type), inputs),
    args: encodeProperties(session, method, { map: inputs, options: configureSendOptions }),
    acceptSecrets: true,
    acceptResources: true,
    sendsOldInputs: true,
    sendsOldInputsToDelete: true,
    id,
    urn,
    name,
    type,
  })
  const response = await callProvider(session, method, { request })
  return (
    session.handshakeCapabilities ?? {
      secrets: response.acceptSecrets,
      references: response.acceptResources,
      bytes: false,
      outputs: response.acceptOutputs,
      preview: response.supportsPreview,
      naming: response.supportsAutonamingConfiguration,
    }
  )
}

/**
 * Returns the configuration for older providers: `<package>:config:<key>` → text. A value that is
 * not a text is written as JSON. The version is left out.
 */
function toVariables(pkg: string, inputs: PropertyMap): Map<string, string> {
  const options = createConfigSendOptions({ unknowns: true })
  const variables = new Map<string, string>()
  for (const [key, value] of inputs) {
    if (key === 'version') continue
    const wireValue = encodeWireValue(value, options, key)
    const text = typeof wireValue === 'string' ? wireValue : JSON.stringify(wireValue)
    variables.set(`${pkg}:config:${key}`, text)
  }
  return variables
}
