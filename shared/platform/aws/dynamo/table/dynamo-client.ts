import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'
import type { UsageMeter } from '../../usage-meter.ts'
import { meterTableRequests } from './count-capacity.ts'

/** Settings of the DynamoDB client. */
export interface ClientSettings {
  readonly region: string
  /** The endpoint of an emulator. Default: the endpoint of the region. */
  readonly endpoint?: string
  /** Fixed credentials for emulators. Default: those of the process. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** The request handler. Tests inject faults here. */
  readonly requestHandler?: DynamoDBClientConfig['requestHandler']
  /** Counts the consumed units. */
  readonly meter?: UsageMeter
}

/** Creates a request handler with timeouts for connection and response. */
export function createRequestHandler(): NodeHttpHandler {
  const sockets = { keepAlive: true, maxSockets: limits.socketsMax }
  return new NodeHttpHandler({
    connectionTimeout: limits.connectTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    throwOnRequestTimeout: true,
    httpsAgent: sockets,
    httpAgent: sockets,
  })
}

/** Creates a client that has explicit timeouts and makes one attempt per request. */
export function createDynamoClient(settings: ClientSettings): DynamoDBClient {
  const { region, endpoint, credentials, requestHandler = createRequestHandler() } = settings
  const client = new DynamoDBClient({
    region,
    requestHandler,
    // The client makes one attempt, because retry-request.ts repeats the requests.
    maxAttempts: 1,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  })
  if (settings.meter !== undefined) meterTableRequests(client, settings.meter)
  return client
}
