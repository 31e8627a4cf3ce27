import type { Metadata } from '@grpc/grpc-js'
import {
  RegisterResourceRequest,
  type RegisterResourceResponse,
  Result,
} from '../../../proto/gen/pulumi/resource.ts'
import { emptyMap } from '../../values/value.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import { RegistrationFailed } from '../generator/finish-stage.ts'
import type { Generator } from '../generator/generator.ts'
import type { CurrentState } from '../generator/sets.ts'
import { registerRemote } from './construct-request.ts'
import { convertLegacyAliases } from './legacy-node-aliases.ts'
import { type ReadingDeps, decodeRegistration } from './decode-registration.ts'
import type { RegistrationWindow } from './registration-window.ts'
import { replyOptionsOf, visibleOutputsOf } from './reply-options.ts'
import { parseOptionalUrn, readEncodedParent } from './request-urns.ts'
import type { RequestTransformer } from './transform-requests.ts'

/** Dependencies of the handler that are available once the program may register resources. */
type RegistrationDeps = ReadingDeps & { readonly generator: Generator }

/** Dependencies of the handler that are available from the start of the monitor. */
interface EarlyRegistrationDeps {
  readonly requestTransformer: RequestTransformer
  readonly window: RegistrationWindow
}

/**
 * Creates the handler of registrations. A request is decoded when the window has room for it. Until
 * then only the parent is known, and the registration counts as a pending child of it.
 */
export function createRegistrationHandler(
  readyDeps: Promise<RegistrationDeps>,
  earlyDeps: EarlyRegistrationDeps,
): (encodedRequest: Uint8Array, metadata?: Metadata) => Promise<RegisterResourceResponse> {
  const register = createRegister(readyDeps, earlyDeps)
  const decodeAndRegister = async (
    encodedRequest: Uint8Array,
    metadata: Metadata | undefined,
  ): Promise<RegisterResourceResponse> => {
    const request = convertLegacyAliases(RegisterResourceRequest.decode(encodedRequest), metadata)
    try {
      return await register(request)
    } catch (thrown) {
      if (thrown instanceof RegistrationFailed && request.supportsResultReporting)
        return toFailureReply(thrown)
      throw thrown
    }
  }
  return async (encodedRequest, metadata) => {
    const { generator } = await readyDeps
    const parent = parseOptionalUrn(readEncodedParent(encodedRequest))
    return generator.registerBelow(parent, () =>
      earlyDeps.window.enter(() => decodeAndRegister(encodedRequest, metadata)),
    )
  }
}

/**
 * Creates the handler that transforms and registers a request. A remote component is registered
 * through its provider.
 */
function createRegister(
  readyDeps: Promise<RegistrationDeps>,
  { requestTransformer, window }: EarlyRegistrationDeps,
): (wireRequest: RegisterResourceRequest) => Promise<RegisterResourceResponse> {
  const register = async (
    wireRequest: RegisterResourceRequest,
  ): Promise<RegisterResourceResponse> => {
    const deps = await readyDeps
    const { request, hasInheritedOptions, noteRegistered } = await requestTransformer.transform(
      deps,
      wireRequest,
    )
    if (request.remote) {
      const response = await window.widenDuring(registerRemote(request, deps, register))
      noteRegistered(response.urn)
      return response
    }
    const registration = await decodeRegistration(request, deps)
    const current = await deps.generator.register(registration, hasInheritedOptions)
    noteRegistered(current.state.urn)
    return toRegistrationReply(current, request)
  }
  return register
}

const emptyReply = {
  urn: '',
  id: '',
  object: undefined,
  stable: false,
  stables: [],
  unknown: false,
}

function toFailureReply({
  urn,
  isDependencyFailure,
}: RegistrationFailed): RegisterResourceResponse {
  const result = isDependencyFailure ? Result.SKIP : Result.FAIL
  return { ...emptyReply, urn, propertyDependencies: new Map(), result }
}

/**
 * Returns the response to a registration. It contains the outputs of a custom resource. A component
 * gets none, because the program itself computes the outputs of the component.
 */
function toRegistrationReply(
  { state, skipReason }: CurrentState,
  request: RegisterResourceRequest,
): RegisterResourceResponse {
  const outputs = state.custom ? state.outputs : emptyMap
  return {
    ...emptyReply,
    urn: state.urn,
    id: state.id,
    object: encodeWire(visibleOutputsOf(outputs, request), replyOptionsOf(request)),
    propertyDependencies: new Map(),
    result: Result.SUCCESS,
    // A resource that was not created has unknown outputs.
    unknown: skipReason === 'not created',
  }
}
