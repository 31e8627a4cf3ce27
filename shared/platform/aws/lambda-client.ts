import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { type AwsSettings, createClientConfig } from './clients.ts'
import { parseJson } from '../../values/parse-json.ts'

/** Calls functions: a client of Lambda, or a replacement for it. */
export type LambdaInvoker = Pick<LambdaClient, 'send'>

/** A call of a function. */
export interface FunctionCall {
  readonly functionArn: string
  readonly payload: object
  /** The tenant whose environments serve the call, for a function that isolates tenants. */
  readonly tenantId?: string
}

/**
 * The result of a call. `value`: undefined for a result that is not JSON. `failed`: the function
 * has thrown, or its environment has died.
 */
export type FunctionOutcome =
  | { readonly kind: 'answered'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly reason: string }

/** Maximum length of the reason of a failed call. */
const reasonMax = 500

/**
 * Creates the client with which a generator calls functions and waits for their results. The client
 * does not retry, because the caller decides about a second call. `answerMs`: the timeout of a
 * response.
 */
export function createLambdaClient(settings: AwsSettings, answerMs: number): LambdaClient {
  return new LambdaClient({ ...createClientConfig(settings, 'LAMBDA', answerMs), maxAttempts: 1 })
}

/**
 * Calls a function and waits for its result. Throws the SDK's errors unchanged when the function
 * could not be called. A result that is not JSON is no error of the call, because the code that a
 * function runs may have forged it.
 */
export async function callLambda(
  lambda: LambdaInvoker,
  { functionArn, payload, tenantId }: FunctionCall,
): Promise<FunctionOutcome> {
  const command = new InvokeCommand({
    FunctionName: functionArn,
    Payload: Buffer.from(JSON.stringify(payload)),
    ...(tenantId === undefined ? {} : { TenantId: tenantId }),
  })
  const { FunctionError: functionError, Payload } = await lambda.send(command)
  const text = Buffer.from(Payload ?? []).toString('utf8')
  if (functionError !== undefined)
    return { kind: 'failed', reason: `${functionError}: ${text.slice(0, reasonMax)}` }
  return { kind: 'answered', value: parseJson(text) }
}
