import { type MethodDefinition, status } from '@grpc/grpc-js'
import type { ErrorResourceInitFailed } from '../../../proto/gen/pulumi/provider.ts'
import { assert, messageOf } from '../../errors/error.ts'
import type { PropertyMap } from '../../values/value.ts'
import { fromWire, toWire, type WireOptions } from '../../values/wire.ts'
import type { Connection } from '../plugins/connect.ts'
import { lastWords } from '../plugins/lines.ts'
import { ProviderError } from '../provider.ts'
import { type Failure, failureOf, localError, statusOf } from './errors.ts'
import { type Abilities, noAbilities } from './negotiation.ts'
import { receiving } from './options.ts'

/**
 * What the environment changes in how a provider is driven
 * (docs/spec/provider-protocol.md#environment-variables).
 */
export interface DriverSettings {
  /** Never call Create and Update in a preview. */
  readonly noPreview: boolean
  /** In an unconfigured preview outputs are the inputs. */
  readonly legacyPreview: boolean
  readonly refreshBeforeUpdate: boolean
}

/** One provider process as its RPC families see it. */
export interface Session {
  readonly connection: Connection
  readonly pkg: string
  readonly settings: DriverSettings
  /** From the handshake; undefined where there was none. */
  readonly greeted: Abilities | undefined
  /** Waits for Configure and gives what was negotiated; rejects with its error. */
  readonly ready: () => Promise<Abilities>
  readonly isUnconfigured: () => boolean
  /** Takes the outcome of the one Configure; `undefined`: left out, because inputs were unknown. */
  readonly settle: (outcome: Promise<Abilities> | undefined) => void
}

/** A session before Configure. */
export function createSession(
  given: Pick<Session, 'connection' | 'pkg' | 'settings' | 'greeted'>,
): Session {
  let outcome: Promise<Abilities> | undefined
  let isUnconfigured = false
  return {
    ...given,
    async ready() {
      assert(outcome !== undefined, `provider '${given.pkg}' is configured before it is used`)
      try {
        return await outcome
      } catch (thrown) {
        throw notAsked(thrown)
      }
    },
    isUnconfigured: () => isUnconfigured,
    settle(result) {
      assert(outcome === undefined, `provider '${given.pkg}' is configured once`)
      isUnconfigured = result === undefined
      outcome = result ?? Promise.resolve(given.greeted ?? noAbilities)
      // Every later call tells this failure; until then it is no unhandled one.
      outcome.catch(() => {})
    },
  }
}

/** Whatever became of Configure: the call that waited for it was never made. */
function notAsked(thrown: unknown): unknown {
  if (!(thrown instanceof ProviderError) || thrown.status === 'ok') return thrown
  const { message, code } = thrown
  const isUnasked = thrown.status === 'lost'
  return new ProviderError(message, { status: 'ok', code, isUnasked, cause: thrown })
}

/** How to read what exists after a partial failure. */
export interface PartialReader {
  readonly unknowns: boolean
  readonly outputs: (returned: PropertyMap) => PropertyMap
  readonly inputs: (returned: PropertyMap) => PropertyMap
}

/** Makes one call. Throws ProviderError; with `reader`, a partial failure says what exists. */
export async function ask<Q, A>(
  session: Session,
  method: MethodDefinition<Q, A>,
  given: { readonly request: Q; readonly reader?: PartialReader },
): Promise<A> {
  try {
    return await session.connection.call(method, given.request)
  } catch (thrown) {
    const failure = failureOf(thrown)
    if (failure.kind === 'lost') throw await lostError(session, method, failure)
    const { code, message, problems, initFailed } = failure
    if (initFailed === undefined || given.reader === undefined)
      throw new ProviderError(message, { status: statusOf(code), code, problems, cause: thrown })
    throw partialError(session, { method, code, message, initFailed, reader: given.reader })
  }
}

/** The last part of a method's path: `Create`. */
export function nameOfMethod(method: { readonly path: string }): string {
  return method.path.slice(method.path.lastIndexOf('/') + 1)
}

async function lostError(
  session: Session,
  method: { readonly path: string },
  failure: Extract<Failure, { readonly kind: 'lost' }>,
): Promise<ProviderError> {
  const { name, obituary } = session.connection
  const { how, lines } = (await obituary()) ?? {
    how: `lost its connection (${failure.message})`,
    lines: [],
  }
  const when = failure.wasSent ? 'during' : 'before'
  return new ProviderError(
    `provider '${name}' ${how} ${when} ${nameOfMethod(method)}${lastWords(lines)}`,
    {
      status: failure.wasSent ? 'lost' : 'ok',
      code: failure.code,
      isUnasked: !failure.wasSent,
    },
  )
}

function partialError(
  session: Session,
  about: {
    readonly method: { readonly path: string }
    readonly code: number
    readonly message: string
    readonly initFailed: ErrorResourceInitFailed
    readonly reader: PartialReader
  },
): ProviderError {
  const { initFailed, reader } = about
  const options = receiving({ unknowns: reader.unknowns })
  const { refreshBeforeUpdate } = initFailed
  const read = (struct: Record<string, unknown> | undefined): PropertyMap =>
    received(session, about.method, { struct, options })
  return new ProviderError(about.message, {
    status: 'partial',
    code: about.code,
    partial: {
      id: initFailed.id,
      outputs: reader.outputs(read(initFailed.properties)),
      inputs: initFailed.inputs === undefined ? undefined : reader.inputs(read(initFailed.inputs)),
      reasons: initFailed.reasons,
      refreshBeforeUpdate: refreshBeforeUpdate && session.settings.refreshBeforeUpdate,
    },
  })
}

/** Properties for the wire. Throws ProviderError: the provider has not acted. */
export function sent(
  session: Session,
  method: { readonly path: string },
  what: { readonly map: PropertyMap; readonly options: WireOptions },
): Record<string, unknown> {
  try {
    return toWire(what.map, what.options)
  } catch (thrown) {
    throw localError(
      `provider '${session.connection.name}' cannot be sent what ${nameOfMethod(method)} needs: ` +
        messageOf(thrown),
      { status: 'ok', cause: thrown },
    )
  }
}

/**
 * Properties of an answer. Throws ProviderError: the provider has acted, but nobody can read what
 * it says.
 */
export function received(
  session: Session,
  method: { readonly path: string },
  what: {
    readonly struct: Record<string, unknown> | undefined
    readonly options: WireOptions
  },
): PropertyMap {
  try {
    return fromWire(what.struct, what.options)
  } catch (thrown) {
    throw malformed(session, method, thrown)
  }
}

function malformed(
  session: Session,
  method: { readonly path: string },
  thrown: unknown,
): ProviderError {
  return localError(
    `provider '${session.connection.name}' answered ${nameOfMethod(method)} ` +
      `with a malformed value: ${messageOf(thrown)}`,
    { status: 'unknown', cause: thrown },
  )
}

/** Whether a call failed because the provider does not have it. */
export function isUnimplemented(thrown: unknown): boolean {
  return thrown instanceof ProviderError && thrown.code === status.UNIMPLEMENTED
}
