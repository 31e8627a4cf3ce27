import {
  CallRequest,
  InvokeRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { parseUrn } from '../../names/urn.ts'
import { emptyMap, secretOf } from '../../values/value.ts'
import type { Provider } from '../provider.ts'
import { createReceiveOptions, createSendOptions } from './transfer-options.ts'
import { containsSecret } from '../../values/special-values.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import {
  callProvider,
  decodeProperties,
  type ProviderSession,
  encodeProperties,
} from './provider-session.ts'

type CallInput<M extends keyof Provider> = Provider[M] extends (request: infer Input) => unknown
  ? Input
  : never

/**
 * Calls Invoke. If an argument was secret and the provider does not support secrets, all results
 * are secret. An unconfigured provider is not called, and the outputs are empty.
 */
export async function callInvoke(
  session: ProviderSession,
  input: CallInput<'invoke'>,
): ReturnType<Provider['invoke']> {
  const method = service.invoke
  const capabilities = await session.waitUntilConfigured()
  if (session.isUnconfigured()) return { outputs: emptyMap, failures: [] }
  const options = createSendOptions(capabilities, { unknowns: false })
  const args = encodeProperties(session, method, { map: input.args, options })
  // Only providers with a handshake know the preview flag.
  const preview = session.handshakeCapabilities !== undefined && input.preview
  const request = InvokeRequest.create({ tok: input.token, args, preview })
  const response = await callProvider(session, method, { request })
  const outputs = decodeProperties(session, method, {
    struct: response.return,
    options: createReceiveOptions({ unknowns: false }),
  })
  const mustMarkSecret = !capabilities.secrets && containsSecret(input.args)
  return {
    outputs: mustMarkSecret
      ? new Map([...outputs].map(([key, value]) => [key, secretOf(value)]))
      : outputs,
    failures: response.failures,
  }
}

/**
 * Calls Call, which runs a method of a resource. Secrets and references are always wrapped, and
 * output values are sent to providers that support them. Unknown values in the response are left
 * out except in a preview. An unconfigured provider is not called, and the outputs are empty.
 * Source: docs/spec/provider-protocol.md#call.
 */
export async function callProviderMethod(
  session: ProviderSession,
  input: CallInput<'call'>,
): ReturnType<Provider['call']> {
  const method = service.call
  const { bytes: allowsByteStrings, outputs } = await session.waitUntilConfigured()
  if (session.isUnconfigured()) return { outputs: emptyMap, failures: [] }
  const wrapOptions = { secrets: true, references: true } as const
  const options: WireOptions = { ...wrapOptions, unknowns: 'keep', outputs, allowsByteStrings }
  const { project, stack, config, parallel, monitorAddress } = input.context
  const request = CallRequest.create({
    tok: input.token,
    args: encodeProperties(session, method, { map: input.args, options }),
    argDependencies: new Map(
      [...input.argDependencies].map(([key, urns]) => [key, { urns: [...urns] }]),
    ),
    project,
    stack,
    config: new Map(config),
    dryRun: input.preview,
    parallel,
    monitorEndpoint: monitorAddress,
    acceptsOutputValues: true,
    stackTraceHandle: input.stackTraceHandle,
  })
  const response = await callProvider(session, method, { request })
  return {
    outputs: decodeProperties(session, method, {
      struct: response.return,
      options: {
        ...wrapOptions,
        unknowns: input.preview ? 'keep' : 'drop',
        outputs: true,
        allowsByteStrings: true,
      },
    }),
    failures: response.failures,
    dependencies: new Map(
      [...response.returnDependencies].map(([key, { urns }]) => [key, urns.map(parseUrn)]),
    ),
  }
}
