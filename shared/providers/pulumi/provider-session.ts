import { type MethodDefinition, status } from '@grpc/grpc-js'
import type { ErrorResourceInitFailed } from '../../../proto/gen/pulumi/provider.ts'
import { assert, messageOf } from '../../errors/error.ts'
import type { PropertyMap } from '../../values/value.ts'
import { fromWire, toWire, type WireOptions } from '../../values/wire.ts'
import type { Connection } from '../plugins/connection.ts'
import { formatLastLines } from '../plugins/plugin-output.ts'
import { ProviderError } from '../provider-error.ts'
import { type CallFailure, parseCallFailure, localError, providerStatusOf } from './grpc-errors.ts'
import { type Abilities, noAbilities } from './negotiation.ts'
import { createReceiveOptions } from './transfer-options.ts'

/**
 * The provider settings of the environment (docs/spec/provider-protocol.md#environment-variables).
 */
export interface DriverSettings {
  /** Never call Create and Update in a preview. */
  readonly noPreview: boolean
  /** In a preview with an unconfigured provider, the outputs are the inputs. */
  readonly legacyPreview: boolean
  readonly refreshBeforeUpdate: boolean
}

/** The state of one provider process that its calls share. */
export interface ProviderSession {
  readonly connection: Connection
  readonly pkg: string
  readonly settings: DriverSettings
  /** From the handshake. Undefined without one. */
  readonly negotiated: Abilities | undefined
  /** Waits for Configure and returns the negotiated abilities. Rejects with its error. */
  readonly waitUntilConfigured: () => Promise<Abilities>
  readonly isUnconfigured: () => boolean
  /**
   * Sets the outcome of the only Configure. `undefined`: it was skipped because inputs were
   * unknown.
   */
  readonly settle: (outcome: Promise<Abilities> | undefined) => void
}

/** Creates a session before Configure. */
export function createProviderSession(
  fields: Pick<ProviderSession, 'connection' | 'pkg' | 'settings' | 'negotiated'>,
): ProviderSession {
  let outcome: Promise<Abilities> | undefined
  let isUnconfigured = false
  return {
    ...fields,
    async waitUntilConfigured() {
      assert(outcome !== undefined, `provider '${fields.pkg}' is used before it is configured`)
      try {
        return await outcome
      } catch (thrown) {
        throw toUnsentError(thrown)
      }
    },
    isUnconfigured: () => isUnconfigured,
    settle(result) {
      assert(outcome === undefined, `provider '${fields.pkg}' is configured twice`)
      isUnconfigured = result === undefined
      outcome = result ?? Promise.resolve(fields.negotiated ?? noAbilities)
      // Every later call reports this failure. Until then it must not count as unhandled.
      outcome.catch(() => {})
    },
  }
}

/** Converts an error of Configure for a call that waited for it and was therefore never sent. */
function toUnsentError(thrown: unknown): unknown {
  if (!(thrown instanceof ProviderError) || thrown.status === 'ok') return thrown
  const { message, code } = thrown
  const isRequestUnsent = thrown.status === 'lost'
  return new ProviderError(message, { status: 'ok', code, isRequestUnsent, cause: thrown })
}

/** How to read the existing resource after a partial failure. */
export interface PartialReader {
  readonly unknowns: boolean
  readonly readOutputs: (returned: PropertyMap) => PropertyMap
  readonly readInputs: (returned: PropertyMap) => PropertyMap
}

/**
 * Makes one call. Throws ProviderError. With `reader`, a partial failure contains the existing
 * resource.
 */
export async function callProvider<Q, A>(
  session: ProviderSession,
  method: MethodDefinition<Q, A>,
  call: { readonly request: Q; readonly reader?: PartialReader },
): Promise<A> {
  try {
    return await session.connection.call(method, call.request)
  } catch (thrown) {
    const failure = parseCallFailure(thrown)
    if (failure.kind === 'lost') throw await lostError(session, method, failure)
    const { code, message, problems, initFailed } = failure
    if (initFailed === undefined || call.reader === undefined)
      throw new ProviderError(message, {
        status: providerStatusOf(code),
        code,
        problems,
        cause: thrown,
      })
    throw partialError(session, { method, code, message, initFailed, reader: call.reader })
  }
}

/** Returns the last part of a method's path, such as `Create`. */
export function methodNameOf(method: { readonly path: string }): string {
  return method.path.slice(method.path.lastIndexOf('/') + 1)
}

async function lostError(
  session: ProviderSession,
  method: { readonly path: string },
  failure: Extract<CallFailure, { readonly kind: 'lost' }>,
): Promise<ProviderError> {
  const { name, getExitReport } = session.connection
  const { how, lines } = (await getExitReport()) ?? {
    how: `lost its connection (${failure.message})`,
    lines: [],
  }
  const when = failure.wasSent ? 'during' : 'before'
  return new ProviderError(
    `provider '${name}' ${how} ${when} ${methodNameOf(method)}${formatLastLines(lines)}`,
    {
      status: failure.wasSent ? 'lost' : 'ok',
      code: failure.code,
      isRequestUnsent: !failure.wasSent,
    },
  )
}

function partialError(
  session: ProviderSession,
  failure: {
    readonly method: { readonly path: string }
    readonly code: number
    readonly message: string
    readonly initFailed: ErrorResourceInitFailed
    readonly reader: PartialReader
  },
): ProviderError {
  const { initFailed, reader } = failure
  const options = createReceiveOptions({ unknowns: reader.unknowns })
  const { refreshBeforeUpdate } = initFailed
  const read = (struct: Record<string, unknown> | undefined): PropertyMap =>
    decodeProperties(session, failure.method, { struct, options })
  return new ProviderError(failure.message, {
    status: 'partial',
    code: failure.code,
    partial: {
      id: initFailed.id,
      outputs: reader.readOutputs(read(initFailed.properties)),
      inputs:
        initFailed.inputs === undefined ? undefined : reader.readInputs(read(initFailed.inputs)),
      reasons: initFailed.reasons,
      refreshBeforeUpdate: refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
    },
  })
}

/** Encodes properties for the wire. Throws ProviderError; the provider has not acted then. */
export function encodeProperties(
  session: ProviderSession,
  method: { readonly path: string },
  what: { readonly map: PropertyMap; readonly options: WireOptions },
): Record<string, unknown> {
  try {
    return toWire(what.map, what.options)
  } catch (thrown) {
    throw localError(
      `provider '${session.connection.name}' cannot be sent what ${methodNameOf(method)} needs: ` +
        messageOf(thrown),
      { status: 'ok', cause: thrown },
    )
  }
}

/**
 * Decodes properties of a response. Throws ProviderError; the provider has acted then, but its
 * result is unreadable.
 */
export function decodeProperties(
  session: ProviderSession,
  method: { readonly path: string },
  what: {
    readonly struct: Record<string, unknown> | undefined
    readonly options: WireOptions
  },
): PropertyMap {
  try {
    return fromWire(what.struct, what.options)
  } catch (thrown) {
    throw malformedError(session, method, thrown)
  }
}

function malformedError(
  session: ProviderSession,
  method: { readonly path: string },
  thrown: unknown,
): ProviderError {
  return localError(
    `provider '${session.connection.name}' answered ${methodNameOf(method)} ` +
      `with a malformed value: ${messageOf(thrown)}`,
    { status: 'unknown', cause: thrown },
  )
}

/** Reports whether a call failed because the provider does not implement it. */
export function isUnimplemented(thrown: unknown): boolean {
  return thrown instanceof ProviderError && thrown.code === status.UNIMPLEMENTED
}
