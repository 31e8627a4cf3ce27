import { status } from '@grpc/grpc-js'
import {
  CreateRequest,
  DeleteRequest,
  ReadRequest,
  type ReadResponse,
  ResourceProviderService as service,
  UpdateRequest,
} from '../../../proto/gen/pulumi/provider.ts'
import { assert } from '../../errors/error.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { type Provider, type ReadResult } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import { restoreAssets } from './restore-assets.ts'
import type { ProviderCapabilities } from './negotiation.ts'
import { createReceiveOptions, createSendOptions } from './transfer-options.ts'
import { restoreSecretMarks } from '../../values/special-values.ts'
import {
  callProvider,
  type ReturnedResourceReader,
  decodeProperties,
  type ProviderSession,
  encodeProperties,
} from './provider-session.ts'
import { encodeOldViews, createViewStatusFields } from './view-fields.ts'

type CallInput<M extends keyof Provider> = Provider[M] extends (request: infer Input) => unknown
  ? Input
  : never

/**
 * Creates a function that marks returned values as secret where the sent values were secret, for a
 * provider without secret support.
 */
function createSecretMarker(
  capabilities: ProviderCapabilities,
  sentMap: PropertyMap,
): (map: PropertyMap) => PropertyMap {
  return capabilities.secrets ? map => map : map => restoreSecretMarks(sentMap, map)
}

/**
 * Calls Create. In a preview, only providers that support previews are called
 * (docs/spec/provider-protocol.md#create).
 */
export async function callCreate(
  session: ProviderSession,
  input: CallInput<'create'>,
): ReturnType<Provider['create']> {
  const method = service.create
  const capabilities = await session.waitUntilConfigured()
  const { urn, name, type, inputs, timeoutSeconds, preview } = input
  assert(preview || !session.isUnconfigured(), `the provider of '${urn}' is not configured`)
  const outputs = preview ? previewOutputsOf(session, capabilities, inputs) : undefined
  if (outputs !== undefined) return { id: '', outputs, refreshBeforeUpdate: false }
  const options = createSendOptions(capabilities, { unknowns: preview })
  const properties = encodeProperties(session, method, { map: inputs, options })
  const identity = { urn, name, type, ...createViewStatusFields(input) }
  const request = CreateRequest.create({
    ...identity,
    properties,
    timeout: timeoutSeconds,
    preview,
  })
  const markSecrets = createSecretMarker(capabilities, inputs)
  const reader: ReturnedResourceReader = {
    unknowns: preview,
    readOutputs: markSecrets,
    readInputs: markSecrets,
  }
  const response = await requireId(
    session,
    input,
    callProvider(session, method, { request, reader }),
  )
  const returnedOutputs = decodeProperties(session, method, {
    struct: response.properties,
    options: createReceiveOptions({ unknowns: preview }),
  })
  return {
    id: response.id,
    outputs: markSecrets(returnedOutputs),
    refreshBeforeUpdate: response.refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
  }
}

/**
 * Returns the response of Create. Throws ProviderError when a success outside of a preview, or a
 * partial failure, has no id. A resource without an id cannot be found again.
 */
async function requireId<A extends { readonly id: string }>(
  session: ProviderSession,
  input: CallInput<'create'>,
  pendingResponse: Promise<A>,
): Promise<A> {
  const createMissingIdError = (cause?: unknown): ProviderError =>
    new ProviderError(
      `provider '${session.connection.name}' answered Create of '${input.urn}' without an id`,
      { status: 'unknown', code: status.UNKNOWN, cause },
    )
  try {
    const created = await pendingResponse
    if (created.id !== '' || input.preview) return created
  } catch (thrown) {
    if (thrown instanceof ProviderError && thrown.partialResource?.id === '')
      throw createMissingIdError(thrown)
    throw thrown
  }
  throw createMissingIdError()
}

/**
 * Calls Read. The result of an unhealthy resource has `initErrors`. Maps that are absent in the
 * response stay absent (docs/spec/provider-protocol.md#read). An unconfigured provider returns an
 * empty result.
 */
export async function callRead(
  session: ProviderSession,
  input: CallInput<'read'>,
): ReturnType<Provider['read']> {
  const method = service.read
  const capabilities = await session.waitUntilConfigured()
  const { urn, name, type, id, inputs, outputs, timeoutSeconds } = input
  if (session.isUnconfigured()) return emptyReadResult
  const options = createSendOptions(capabilities, { unknowns: false, elideAssets: true })
  const encode = (map: PropertyMap | undefined): Record<string, unknown> | undefined =>
    map && encodeProperties(session, method, { map, options })
  const request = ReadRequest.create({
    id,
    urn,
    name,
    type,
    timeout: timeoutSeconds,
    inputs: encode(inputs),
    // Pulumi sends `{}` for an import, and servers of Node's SDK require it (plugin.Read,
    // v3.274.1).
    properties: encode(outputs ?? emptyMap),
    oldViews: encodeOldViews(session, input, { method, options }),
    ...createViewStatusFields(input),
  })
  const createRestorer = (sentMap: PropertyMap | undefined) => {
    const markSecrets = createSecretMarker(capabilities, sentMap ?? emptyMap)
    return (map: PropertyMap): PropertyMap => restoreAssets(inputs ?? emptyMap, markSecrets(map))
  }
  const reader: ReturnedResourceReader = {
    unknowns: false,
    readOutputs: createRestorer(outputs),
    readInputs: createRestorer(inputs),
  }
  try {
    const response = await callProvider(session, method, { request, reader })
    return toReadResult(session, response, reader)
  } catch (thrown) {
    if (!(thrown instanceof ProviderError) || thrown.partialResource === undefined) throw thrown
    const { reasons, ...resource } = thrown.partialResource
    return { ...resource, initErrors: reasons.length === 0 ? [thrown.message] : reasons }
  }
}

const emptyReadResult: ReadResult = {
  id: '',
  inputs: emptyMap,
  outputs: emptyMap,
  refreshBeforeUpdate: false,
  initErrors: [],
}

function toReadResult(
  session: ProviderSession,
  response: ReadResponse,
  reader: ReturnedResourceReader,
): ReadResult {
  const options = createReceiveOptions({ unknowns: false })
  const decode = (struct: Record<string, unknown> | undefined): PropertyMap | undefined =>
    struct && decodeProperties(session, service.read, { struct, options })
  const inputs = decode(response.inputs)
  const outputs = decode(response.properties)
  return {
    id: response.id,
    inputs: inputs && reader.readInputs(inputs),
    outputs: outputs && reader.readOutputs(outputs),
    refreshBeforeUpdate: response.refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
    initErrors: [],
  }
}

/**
 * Calls Update. In a preview, only providers that support previews are called. The result replaces
 * all old outputs.
 */
export async function callUpdate(
  session: ProviderSession,
  input: CallInput<'update'>,
): ReturnType<Provider['update']> {
  const method = service.update
  const capabilities = await session.waitUntilConfigured()
  const { urn, newInputs, preview } = input
  assert(preview || !session.isUnconfigured(), `the provider of '${urn}' is not configured`)
  const outputs = preview ? previewOutputsOf(session, capabilities, newInputs) : undefined
  if (outputs !== undefined) return { outputs, refreshBeforeUpdate: false }
  const oldOptions = createSendOptions(capabilities, { unknowns: false, elideAssets: true })
  const request = UpdateRequest.create({
    id: input.id,
    urn,
    name: input.name,
    type: input.type,
    oldInputs: encodeProperties(session, method, { map: input.oldInputs, options: oldOptions }),
    olds: encodeProperties(session, method, { map: input.oldOutputs, options: oldOptions }),
    news: encodeProperties(session, method, {
      map: newInputs,
      options: createSendOptions(capabilities, { unknowns: preview }),
    }),
    timeout: input.timeoutSeconds,
    ignoreChanges: [...input.ignoreChanges],
    preview,
    oldViews: encodeOldViews(session, input, { method, options: oldOptions }),
    ...createViewStatusFields(input),
  })
  const markSecrets = createSecretMarker(capabilities, newInputs)
  const reader: ReturnedResourceReader = {
    unknowns: preview,
    readOutputs: markSecrets,
    readInputs: markSecrets,
  }
  const response = await callProvider(session, method, { request, reader })
  const struct = response.properties
  const returnedOutputs = decodeProperties(session, method, {
    struct,
    options: createReceiveOptions({ unknowns: preview }),
  })
  return {
    outputs: markSecrets(returnedOutputs),
    refreshBeforeUpdate: response.refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
  }
}

/**
 * Calls Delete. The provider decides whether the delete of an absent resource succeeds.
 */
export async function callDelete(
  session: ProviderSession,
  input: CallInput<'delete'>,
): Promise<void> {
  const method = service.delete
  const capabilities = await session.waitUntilConfigured()
  const { urn, name, type, id, inputs, outputs, timeoutSeconds } = input
  assert(!session.isUnconfigured(), `the provider of '${urn}' is not configured`)
  const options = createSendOptions(capabilities, { unknowns: false, elideAssets: true })
  const request = DeleteRequest.create({
    id,
    urn,
    name,
    type,
    timeout: timeoutSeconds,
    properties: encodeProperties(session, method, { map: outputs, options }),
    oldInputs: encodeProperties(session, method, { map: inputs, options }),
    oldViews: encodeOldViews(session, input, { method, options }),
    ...createViewStatusFields(input),
  })
  await callProvider(session, method, { request })
}

/**
 * Returns the outputs of a preview in which the provider is not called, or undefined if the
 * provider must be called. The program sees absent outputs as unknown.
 */
function previewOutputsOf(
  session: ProviderSession,
  capabilities: ProviderCapabilities,
  inputs: PropertyMap,
) {
  if (session.isUnconfigured()) return session.settings.isLegacyPreview ? inputs : emptyMap
  return capabilities.preview && !session.settings.isPreviewDisabled ? undefined : inputs
}
