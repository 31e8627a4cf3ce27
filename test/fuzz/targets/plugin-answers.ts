import type { Urn } from '../../../shared/names/urn.ts'
import type { Connection } from '../../../shared/providers/plugins/connection.ts'
import type { Provider } from '../../../shared/providers/provider.ts'
import { ProviderError } from '../../../shared/providers/provider-error.ts'
import { createPulumiProvider } from '../../../shared/providers/pulumi/pulumi-provider.ts'
import type { PropertyMap } from '../../../shared/values/value.ts'
import { createError } from '../../../shared/errors/error.ts'
import { decodeAnswer } from '../answer-bytes.ts'
import type { FuzzTarget } from '../fuzz-target.ts'

const capabilities = {
  secrets: true,
  references: true,
  bytes: true,
  outputs: true,
  preview: true,
  naming: true,
}
const settings = { isPreviewDisabled: false, isLegacyPreview: false, refreshBeforeUpdate: true }
const resource = { urn: 'urn:pulumi:d::p::a:b:C::n' as Urn, name: 'n', type: 'a:b:C' }
const inputs: PropertyMap = new Map<string, string | number>([
  ['a', 1],
  ['b', 'text'],
])
const old = { oldInputs: inputs, oldOutputs: inputs, id: 'i', timeoutSeconds: 0 }

/** Creates a provider over a connection with the same answer to every call but Configure. */
function openProvider(answer: Buffer): Provider {
  const connection: Connection = {
    name: 'fuzz',
    call: async (method, _request) =>
      decodeAnswer(
        method.responseDeserialize,
        method.path.endsWith('/Configure') ? Buffer.alloc(0) : answer,
      ),
    getExitReport: async () => undefined,
  }
  return createPulumiProvider({
    connection,
    pkg: 'a',
    version: '1.0.0',
    handshakeCapabilities: capabilities,
    settings,
    close: async () => {},
    hasEnded: () => false,
  })
}

/** The calls by the name of the method, which is the first line of an input. */
const calls: Readonly<Record<string, (provider: Provider) => unknown>> = {
  check: provider =>
    provider.check({ ...resource, ...old, newInputs: inputs, allowUnknowns: true } as never),
  diff: provider =>
    provider.diff({ ...resource, ...old, newInputs: inputs, ignoreChanges: [] } as never),
  create: provider => provider.create({ ...resource, inputs, timeoutSeconds: 0, preview: false }),
  read: provider => provider.read({ ...resource, ...old, inputs, outputs: inputs }),
  update: provider =>
    provider.update({
      ...resource,
      ...old,
      newInputs: inputs,
      ignoreChanges: [],
      preview: false,
    }),
  invoke: provider => provider.invoke({ token: 'a:b:c', args: inputs, preview: false }),
  checkConfig: provider =>
    provider.checkConfig({ ...resource, newInputs: inputs, allowUnknowns: true } as never),
}

/** Answers of providers: a line with the method, and the message in protobuf. */
export const pluginAnswersTarget: FuzzTarget = {
  async decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const method = bytes.toString('utf8', 0, lineEnd)
    const call = Object.hasOwn(calls, method) ? calls[method] : undefined
    if (call === undefined) throw createError('VALUE_MALFORMED', 'the input has no method')
    const provider = openProvider(bytes.subarray(lineEnd + 1))
    await provider.configure({ ...resource, id: 'i', inputs })
    await call(provider)
  },
  // Each call has an answer, so no call is lost.
  isRefusal: thrown => thrown instanceof ProviderError && thrown.status !== 'lost',
}
