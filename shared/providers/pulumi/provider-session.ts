import { type MethodDefinition, status } from '@grpc/grpc-js'
import type { ErrorResourceInitFailed } from '../../../proto/gen/pulumi/provider.ts'
import { messageOf } from '../../errors/error.ts'
import type { PropertyMap } from '../../values/value.ts'
import { decodeWire } from '../../values/decode-wire.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import {
  createConnectionLossError,
  createLocalError,
  methodNameOf,
  providerStatusOf,
} from '../plugins/call-failures.ts'
import { type ConfigureOutcome, createConfigureOutcome } from '../configure-outcome.ts'
import type { Connection } from '../plugins/connection.ts'
import { ProviderError } from '../provider-error.ts'
import { parseCallFailure } from './grpc-errors.ts'
import { type ProviderCapabilities, noCapabilities } from './negotiation.ts'
import { createReceiveOptions } from './transfer-options.ts'

/**
 * The provider settings of the environment (docs/spec/provider-protocol.md#environment-variables).
 */
export interface DriverSettings {
  /** Whether previews never call Create and Update. */
  readonly isPreviewDisabled: boolean
  /** Whether a preview uses the inputs as the outputs if the provider is unconfigured. */
  readonly isLegacyPreview: boolean
  /** Whether the engine respects a provider's request to refresh a resource before its update. */
  readonly refreshBeforeUpdate: boolean
}

/** The state of one provider process that its calls share. */
export interface ProviderSession extends ConfigureOutcome<ProviderCapabilities> {
  readonly connection: Connection
  readonly pkg: string
  readonly settings: DriverSettings
  /** The capabilities from the handshake. Undefined for a provider without handshake. */
  readonly handshakeCapabilities: ProviderCapabilities | undefined
}

/** Creates a session before Configure. */
export function createProviderSession(
  fields: Pick<ProviderSession, 'connection' | 'pkg' | 'settings' | 'handshakeCapabilities'>,
): ProviderSession {
  return {
    ...fields,
    ...createConfigureOutcome(fields.pkg, fields.handshakeCapabilities ?? noCapabilities),
  }
}

/** The way to read the existing resource that a partial failure returns. */
export interface ReturnedResourceReader {
  /** Whether returned values may be unknown. */
  readonly unknowns: boolean
  /** Restores what the provider did not return, such as secret marks. */
  readonly readOutputs: (returned: PropertyMap) => PropertyMap
  readonly readInputs: (returned: PropertyMap) => PropertyMap
}

/**
 * Makes one call. Throws ProviderError. With `reader`, a partial failure contains the existing
 * resource.
 */
export async function callProvider<Req, Res>(
  session: ProviderSession,
  method: MethodDefinition<Req, Res>,
  call: { readonly request: Req; readonly reader?: ReturnedResourceReader },
): Promise<Res> {
  try {
    return await session.connection.call(method, call.request)
  } catch (thrown) {
    const failure = parseCallFailure(thrown)
    if (failure.kind === 'lost')
      throw await createConnectionLossError(session.connection, method, failure)
    const { code, message, problems, initFailure } = failure
    if (initFailure === undefined || call.reader === undefined)
      throw new ProviderError(message, {
        status: providerStatusOf(code),
        code,
        problems,
        cause: thrown,
      })
    throw createPartialError(session, { method, code, message, initFailure, reader: call.reader })
  }
}

function createPartialError(
  session: ProviderSession,
  failure: {
    readonly method: { readonly path: string }
    readonly code: number
    readonly message: string
    readonly initFailure: ErrorResourceInitFailed
    readonly reader: ReturnedResourceReader
  },
): ProviderError {
  const { initFailure, reader } = failure
  const options = createReceiveOptions({ unknowns: reader.unknowns })
  const { refreshBeforeUpdate } = initFailure
  const decode = (struct: Record<string, unknown> | undefined): PropertyMap =>
    decodeProperties(session, failure.method, { struct, options })
  return new ProviderError(failure.message, {
    status: 'partial',
    code: failure.code,
    partialResource: {
      id: initFailure.id,
      outputs: reader.readOutputs(decode(initFailure.properties)),
      inputs:
        initFailure.inputs === undefined
          ? undefined
          : reader.readInputs(decode(initFailure.inputs)),
      reasons: initFailure.reasons,
      refreshBeforeUpdate: refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
    },
  })
}

/**
 * Encodes properties for the wire. Throws ProviderError if a value cannot be encoded. The error has
 * the status `ok`: the call had no effect, because no request was sent.
 */
export function encodeProperties(
  session: ProviderSession,
  method: { readonly path: string },
  input: { readonly map: PropertyMap; readonly options: WireOptions },
): Record<string, unknown> {
  try {
    return encodeWire(input.map, input.options)
  } catch (thrown) {
    throw createLocalError(
      `cannot encode the ${methodNameOf(method)} request to provider '${session.connection.name}': ` +
        messageOf(thrown),
      { status: 'ok', cause: thrown },
    )
  }
}

/**
 * Decodes properties of a response. Throws ProviderError with the status `unknown` for an
 * unreadable response, because the provider may have acted.
 */
export function decodeProperties(
  session: ProviderSession,
  method: { readonly path: string },
  input: {
    readonly struct: Record<string, unknown> | undefined
    readonly options: WireOptions
  },
): PropertyMap {
  try {
    return decodeWire(input.struct, input.options)
  } catch (thrown) {
    throw createMalformedError(session, method, thrown)
  }
}

function createMalformedError(
  session: ProviderSession,
  method: { readonly path: string },
  thrown: unknown,
): ProviderError {
  return createLocalError(
    `provider '${session.connection.name}' answered ${methodNameOf(method)} ` +
      `with a malformed value: ${messageOf(thrown)}`,
    { status: 'unknown', cause: thrown },
  )
}

/** Reports whether a call failed because the provider does not implement it. */
export function isUnimplemented(thrown: unknown): boolean {
  return thrown instanceof ProviderError && thrown.code === status.UNIMPLEMENTED
}
