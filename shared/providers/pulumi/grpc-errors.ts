import type { ServiceError } from '@grpc/grpc-js'
import { Status } from '../../../proto/gen/google/rpc/status.ts'
import { ErrorCause, InputPropertiesError } from '../../../proto/gen/pulumi/errors.ts'
import {
  ConfigureErrorMissingKeys,
  ErrorResourceInitFailed,
} from '../../../proto/gen/pulumi/provider.ts'
import { assert } from '../../errors/error.ts'
import {
  type ConnectionLoss,
  isServiceError,
  parseConnectionLoss,
} from '../plugins/call-failures.ts'
import type { PropertyProblems } from '../provider-error.ts'

/** The meaning of a failed call: the provider's own status, or a lost connection. */
export type CallFailure =
  | ConnectionLoss
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
  const loss = parseConnectionLoss(thrown)
  if (loss !== undefined) return loss
  assert(isServiceError(thrown), 'an error that is not of gRPC did not count as a lost connection')
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
