import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { type AwsSettings, createClientConfig } from './clients.ts'
import { parseJson } from '../../values/parse-json.ts'

/** The part of a Lambda client that calls functions. Tests replace it. */
export type LambdaInvoker = Pick<LambdaClient, 'send'>

/** A call of a function. */
export interface FunctionCall {
  readonly functionArn: string
  readonly payload: object
  /** The tenant whose environments serve the call, for a function that isolates tenants. */
  readonly tenantId?: string
}

/**
 * The result of a call. `value` is undefined for a result that is not JSON. `failed`: the function
 * has thrown, or its execution environment has died.
 */
export type FunctionResult =
  | { readonly kind: 'answered'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly reason: string }

/** Maximum number of characters of a function's error in the reason of a failed call. */
const reasonCharsMax = 500

/**
 * Creates a client of Lambda for calls that wait for the result of a function. The client does not
 * retry, because the caller decides about a second call.
 */
export function createLambdaClient(settings: AwsSettings, responseTimeoutMs: number): LambdaClient {
  return new LambdaClient({
    ...createClientConfig(settings, 'LAMBDA', responseTimeoutMs),
    maxAttempts: 1,
  })
}

/** Creates a client of Lambda for `startLambda`, with the usual timeout and attempts. */
export function createLambdaStarter(settings: AwsSettings): LambdaClient {
  return new LambdaClient(createClientConfig(settings, 'LAMBDA'))
}

/**
 * Starts a call of a function without waiting for its result. Lambda repeats a call that fails.
 * Throws the SDK's errors unchanged.
 */
export async function startLambda(
  lambda: LambdaInvoker,
  { functionArn, payload }: Pick<FunctionCall, 'functionArn' | 'payload'>,
): Promise<void> {
  const command = new InvokeCommand({
    FunctionName: functionArn,
    InvocationType: 'Event',
    Payload: Buffer.from(JSON.stringify(payload)),
  })
  await lambda.send(command)
}

/**
 * Calls a function and waits for its result. Throws the SDK's errors unchanged when the function
 * could not be called. A result that is not JSON counts as an answer. The caller must check every
 * answer, because code of users that runs in the function can forge results.
 */
export async function callLambda(
  lambda: LambdaInvoker,
  call: FunctionCall,
): Promise<FunctionResult> {
  const outcome = await invokeLambda(lambda, call)
  if (outcome.kind === 'failed') return outcome
  return { kind: 'answered', value: parseJson(Buffer.from(outcome.payload).toString('utf8')) }
}

/**
 * Calls a function and waits for the bytes of its result. The result of a function that streams is
 * its whole stream. Throws the SDK's errors unchanged when the function could not be called.
 */
export async function invokeLambda(
  lambda: LambdaInvoker,
  { functionArn, payload, tenantId }: FunctionCall,
): Promise<
  | { readonly kind: 'answered'; readonly payload: Uint8Array }
  | Extract<FunctionResult, { readonly kind: 'failed' }>
> {
  const command = new InvokeCommand({
    FunctionName: functionArn,
    Payload: Buffer.from(JSON.stringify(payload)),
    ...(tenantId === undefined ? {} : { TenantId: tenantId }),
  })
  const { FunctionError: functionError, Payload } = await lambda.send(command)
  const resultBytes = Payload ?? new Uint8Array()
  if (functionError === undefined) return { kind: 'answered', payload: resultBytes }
  const text = Buffer.from(resultBytes).toString('utf8')
  return { kind: 'failed', reason: `${functionError}: ${text.slice(0, reasonCharsMax)}` }
}
