import { status } from '@grpc/grpc-js'
import type { ClientCapabilities } from '../../../../proto/gen/terraform/tfplugin6.ts'
import { messageOf } from '../../../errors/error.ts'
import {
  createConnectionLossError,
  grpcCodeOf,
  isServiceError,
  methodNameOf,
  parseConnectionLoss,
  providerStatusOf,
} from '../../plugins/call-failures.ts'
import type { CalledMethod, Connection } from '../../plugins/connection.ts'
import { ProviderError } from '../../provider-error.ts'
import type { ProtocolMethods } from './protocol-methods.ts'

/** The connection to one Terraform provider. */
export interface TerraformConnection extends Connection {
  /**
   * Starts a call with a stream of responses. Throws an error of gRPC if the process has ended.
   */
  readonly stream: <Req, Res>(
    method: CalledMethod<Req, Res>,
    request: Req,
  ) => AsyncIterable<Res> & { readonly cancel: () => void }
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
}

/** The connection, methods and capabilities that all calls of a client share. */
export interface ClientContext {
  readonly connection: TerraformConnection
  readonly methods: ProtocolMethods
  readonly clientCapabilities: ClientCapabilities
}

/** Makes one call. Throws ProviderError. */
export async function callTerraform<Req, Res>(
  connection: TerraformConnection,
  method: CalledMethod<Req, Res>,
  request: Req,
): Promise<Res> {
  try {
    return await connection.call(method, request)
  } catch (thrown) {
    throw await toProviderError(connection, method, thrown)
  }
}

/** Makes a call that older providers do not know. Returns `fallback` for such a provider. */
export async function callOptional<Req, Res>(
  connection: TerraformConnection,
  method: CalledMethod<Req, Res>,
  { request, fallback }: { readonly request: Req; readonly fallback: Res },
): Promise<Res> {
  try {
    return await callTerraform(connection, method, request)
  } catch (thrown) {
    if (thrown instanceof ProviderError && thrown.code === status.UNIMPLEMENTED) return fallback
    throw thrown
  }
}

/**
 * Makes a call with a stream of responses. The end of the iteration ends the call. Throws
 * ProviderError.
 */
export async function* streamTerraform<Req, Res>(
  connection: TerraformConnection,
  method: CalledMethod<Req, Res>,
  request: Req,
): AsyncGenerator<Res, void, void> {
  let cancel = (): void => undefined
  try {
    const responses = connection.stream(method, request)
    cancel = () => responses.cancel()
    yield* responses
  } catch (thrown) {
    throw await toProviderError(connection, method, thrown)
  } finally {
    cancel()
  }
}

/**
 * Converts a thrown error. A provider reports its own problems as diagnostics, so a status of gRPC
 * means a bug or a crash.
 */
async function toProviderError(
  connection: TerraformConnection,
  method: { readonly path: string },
  thrown: unknown,
): Promise<ProviderError> {
  const loss = parseConnectionLoss(thrown)
  if (loss !== undefined) return createConnectionLossError(connection, method, loss)
  const code = grpcCodeOf(thrown)
  const details = isServiceError(thrown) ? thrown.details : messageOf(thrown)
  const name = methodNameOf(method)
  const problem =
    code === status.UNIMPLEMENTED
      ? `does not support ${name}`
      : `failed in ${name}: ${connection.redact(details)}`
  return new ProviderError(`provider '${connection.name}' ${problem}`, {
    status: providerStatusOf(code),
    code,
    cause: thrown,
  })
}
