import { type ServiceError, status } from '@grpc/grpc-js'
import { messageOf } from '../../errors/error.ts'
import { ProviderError } from '../provider-error.ts'
import { type Connection, noConnectionPrefix } from './connection.ts'
import { formatLastLines } from './plugin-output.ts'

/** Returns the gRPC code of any thrown value; UNKNOWN without a code. */
export function grpcCodeOf(thrown: unknown): number {
  return isServiceError(thrown) ? thrown.code : status.UNKNOWN
}

/** Reports whether a thrown value is an error of gRPC. */
export function isServiceError(thrown: unknown): thrown is ServiceError {
  return thrown instanceof Error && 'code' in thrown && 'metadata' in thrown && 'details' in thrown
}

/** Codes by which a provider reports that it does not know the effect on the resource. */
const unknownEffectCodes: readonly number[] = [status.INTERNAL, status.DATA_LOSS, status.UNKNOWN]

/**
 * Returns the `status` of a ProviderError by its gRPC code (docs/spec/provider-protocol.md#errors).
 */
export function providerStatusOf(code: number): 'ok' | 'unknown' {
  return unknownEffectCodes.includes(code) ? 'unknown' : 'ok'
}

/** A call that failed because its connection was lost. */
export interface ConnectionLoss {
  readonly kind: 'lost'
  readonly code: number
  readonly message: string
  /** Whether the request may have reached the provider. */
  readonly mayHaveBeenSent: boolean
}

/**
 * Returns the connection loss that made a call fail, or undefined for a status of the provider. An
 * error that does not come from gRPC counts as a lost connection.
 */
export function parseConnectionLoss(thrown: unknown): ConnectionLoss | undefined {
  if (!isServiceError(thrown))
    return { kind: 'lost', code: status.UNKNOWN, message: messageOf(thrown), mayHaveBeenSent: true }
  if (!isConnectionLoss(thrown)) return undefined
  return {
    kind: 'lost',
    code: thrown.code,
    message: thrown.details,
    mayHaveBeenSent: !thrown.details.startsWith(noConnectionPrefix),
  }
}

/** Messages of gRPC about a stream that ended early and therefore has no trailers. */
const brokenStreamPattern = /^(Received RST_STREAM|Call ended without gRPC status|Stream refused)/

/** Reports whether gRPC created a status in this process because the connection was lost. */
function isConnectionLoss(thrown: ServiceError): boolean {
  // Only a status that the provider sent has metadata.
  if (Object.keys(thrown.metadata.getMap()).length > 0) return false
  if (thrown.code === status.UNAVAILABLE || thrown.code === status.CANCELLED) return true
  return brokenStreamPattern.test(thrown.details)
}

/**
 * Creates the error of a call that lost its connection, with the last lines of an ended process.
 */
export async function createConnectionLossError(
  { name, getExitReport }: Pick<Connection, 'name' | 'getExitReport'>,
  method: { readonly path: string },
  loss: ConnectionLoss,
): Promise<ProviderError> {
  const { description, lines } = (await getExitReport()) ?? {
    description: `lost its connection (${loss.message})`,
    lines: [],
  }
  const preposition = loss.mayHaveBeenSent ? 'during' : 'before'
  return new ProviderError(
    `provider '${name}' ${description} ${preposition} ${methodNameOf(method)}${formatLastLines(lines)}`,
    {
      status: loss.mayHaveBeenSent ? 'lost' : 'ok',
      code: loss.code,
      isRequestUnsent: !loss.mayHaveBeenSent,
    },
  )
}

/** Returns the last part of a method's path, such as `Create`. */
export function methodNameOf(method: { readonly path: string }): string {
  return method.path.slice(method.path.lastIndexOf('/') + 1)
}

/**
 * Creates the error of a call whose request cannot be sent, or whose response is not valid. The
 * status `ok` means that the provider has not acted, and `unknown` that it may have acted.
 */
export function createLocalError(
  message: string,
  options: { readonly status: 'ok' | 'unknown'; readonly cause?: unknown },
): ProviderError {
  const code = options.status === 'ok' ? status.INVALID_ARGUMENT : status.INTERNAL
  return new ProviderError(message, {
    status: options.status,
    code,
    cause: options.cause,
  })
}
