import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'

/** How DynamoDB is reached. */
export interface ClientSettings {
  readonly region: string
  /** Another endpoint than the region's: an emulator. */
  readonly endpoint?: string
  /** Fixed credentials, for emulators; else those of the process. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** What carries requests; tests put faults there. */
  readonly requestHandler?: DynamoDBClientConfig['requestHandler']
}

/** Carries requests with limits on the times of connection and reply. */
export function createRequestHandler(): NodeHttpHandler {
  const sockets = { keepAlive: true, maxSockets: limits.socketsMax }
  return new NodeHttpHandler({
    connectionTimeout: limits.connectMs,
    requestTimeout: limits.requestMs,
    throwOnRequestTimeout: true,
    httpsAgent: sockets,
    httpAgent: sockets,
  })
}

/** A client with explicit timeouts, whose requests are tried once. */
export function createDynamoClient(settings: ClientSettings): DynamoDBClient {
  const { region, endpoint, credentials, requestHandler = createRequestHandler() } = settings
  return new DynamoDBClient({
    region,
    requestHandler,
    // Repetition is ours: see retry.ts.
    maxAttempts: 1,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  })
}
