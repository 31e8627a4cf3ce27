import { type ServiceError, status } from '@grpc/grpc-js'
import { Status } from '../../../proto/gen/google/rpc/status.ts'
import { ErrorCause, InputPropertiesError } from '../../../proto/gen/pulumi/errors.ts'
import {
  ConfigureErrorMissingKeys,
  ErrorResourceInitFailed,
} from '../../../proto/gen/pulumi/provider.ts'
import { messageOf } from '../../errors/error.ts'
import { noConnectionPrefix } from '../plugins/connection.ts'
import { type PropertyProblems, ProviderError } from '../provider-error.ts'

/** Returns the gRPC code of any thrown value; UNKNOWN without a code. */
export function grpcCodeOf(thrown: unknown): number {
  return isServiceError(thrown) ? thrown.code : status.UNKNOWN
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return thrown instanceof Error && 'code' in thrown && 'metadata' in thrown && 'details' in thrown
}

/** Codes by which a provider reports that it does not know the effect on the resource. */
const unsureCodes: readonly number[] = [status.INTERNAL, status.DATA_LOSS, status.UNKNOWN]

/** The meaning of a failed call: the provider's own status, or a lost connection. */
export type CallFailure =
  | {
      readonly kind: 'lost'
      readonly code: number
      readonly message: string
      /** Whether the request may have reached the provider. */
      readonly mayHaveBeenSent: boolean
    }
  | {
      readonly kind: 'answered'
      readonly code: number
      readonly message: string
      readonly problems: PropertyProblems | undefined
      readonly initFailure: ErrorResourceInitFailed | undefined
    }

/**
 * Parses the error of a failed call. An error that does not come from gRPC counts as a lost
 * connection.
 */
export function parseCallFailure(thrown: unknown): CallFailure {
  if (!isServiceError(thrown))
    return { kind: 'lost', code: status.UNKNOWN, message: messageOf(thrown), mayHaveBeenSent: true }
  if (isConnectionLoss(thrown))
    return {
      kind: 'lost',
      code: thrown.code,
      message: thrown.details,
      mayHaveBeenSent: !thrown.details.startsWith(noConnectionPrefix),
    }
  const { lines, causeText, properties, initFailure } = readStatusDetails(thrown)
  const firstLines = thrown.details === '' && lines.length > 0 ? [] : [thrown.details + causeText]
  return {
    kind: 'answered',
    code: thrown.code,
    message: [...firstLines, ...lines].join('\n'),
    problems:
      properties.length === 0 ? undefined : { message: thrown.details + causeText, properties },
    initFailure,
  }
}

interface StatusDetails {
  readonly lines: readonly string[]
  readonly causeText: string
  readonly properties: PropertyProblems['properties']
  readonly initFailure: ErrorResourceInitFailed | undefined
}

/** Reads the status details. Unreadable details are ignored, because the status itself is known. */
function readStatusDetails(thrown: ServiceError): StatusDetails {
  try {
    const details = decodeDetails(thrown)
    const causeDetail = details.find(({ type }) => type === 'pulumirpc.ErrorCause')
    const initDetail = details.find(({ type }) => type === 'pulumirpc.ErrorResourceInitFailed')
    return {
      lines: details.flatMap(({ type, value }) => detailLinesOf(type, value)),
      properties: details.flatMap(({ type, value }) => propertiesOf(type, value)),
      causeText:
        causeDetail === undefined ? '' : `: ${ErrorCause.decode(causeDetail.value).message}`,
      initFailure: initDetail && ErrorResourceInitFailed.decode(initDetail.value),
    }
  } catch {
    return { lines: [], causeText: '', properties: [], initFailure: undefined }
  }
}

/** Messages of gRPC about a stream that ended early and therefore has no trailers. */
const brokenStream = /^(Received RST_STREAM|Call ended without gRPC status|Stream refused)/

/** Reports whether gRPC created a status in this process because the connection was lost. */
function isConnectionLoss(thrown: ServiceError): boolean {
  if (Object.keys(thrown.metadata.getMap()).length > 0) return false
  if (thrown.code === status.UNAVAILABLE || thrown.code === status.CANCELLED) return true
  return brokenStream.test(thrown.details)
}

/** Returns the status class of a code (docs/spec/provider-protocol.md#errors). */
export function providerStatusOf(code: number): 'ok' | 'unknown' {
  return unsureCodes.includes(code) ? 'unknown' : 'ok'
}

interface Detail {
  readonly type: string
  readonly value: Uint8Array
}

/** Decodes the details in the trailers. A type name begins after the last `/`, if there is one. */
function decodeDetails(thrown: ServiceError): readonly Detail[] {
  const [bytes] = thrown.metadata.get('grpc-status-details-bin')
  if (!(bytes instanceof Uint8Array)) return []
  return Status.decode(bytes).details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value,
  }))
}

function detailLinesOf(type: string, value: Uint8Array): readonly string[] {
  if (type === 'pulumirpc.ConfigureErrorMissingKeys')
    return ConfigureErrorMissingKeys.decode(value).missingKeys.map(
      ({ name, description }) =>
        `missing required configuration key '${name}': ${description}\n` +
        `Set it with \`antichain config set ${name} <value>\`.`,
    )
  return propertiesOf(type, value).map(({ path, reason }) => `${path}: ${reason}`)
}

function propertiesOf(type: string, value: Uint8Array): PropertyProblems['properties'] {
  if (type !== 'pulumirpc.InputPropertiesError') return []
  const { errors } = InputPropertiesError.decode(value)
  return errors.map(({ propertyPath, reason }) => ({ path: propertyPath, reason }))
}

/**
 * Creates the error of a call that failed in this process. `ok`: the provider has not acted.
 * `unknown`: the provider may have acted.
 */
export function localError(
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
