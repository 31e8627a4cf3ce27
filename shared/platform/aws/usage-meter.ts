import type { NodeHttpHandler } from '@smithy/node-http-handler'
import { addUsage, noUsage, type UsageCounts } from '../../records/usage.ts'

/** The sum of the usage that a process has counted since its start. */
export interface UsageMeter {
  readonly add: (counts: Partial<UsageCounts>) => void
  readonly read: () => UsageCounts
}

/** Creates a meter, which is in the memory of the process. */
export function createUsageMeter(): UsageMeter {
  let sum = noUsage
  return {
    add: counts => {
      sum = addUsage(sum, counts)
    },
    read: () => sum,
  }
}

type MeteredHandler = Pick<
  NodeHttpHandler,
  'metadata' | 'handle' | 'destroy' | 'updateHttpClientConfig' | 'httpHandlerConfigs'
>
type HandlerResult = Awaited<ReturnType<MeteredHandler['handle']>>
type HttpRequest = Parameters<MeteredHandler['handle']>[0]

/**
 * Returns a request handler that also counts the billed requests to S3, SQS and KMS. Each attempt
 * of the SDK counts.
 */
export function meterRequests(
  handler: MeteredHandler,
  service: string,
  meter: UsageMeter,
): MeteredHandler {
  return {
    handle: async (request, options) => {
      const result = await handler.handle(request, options)
      meter.add(countBilledRequest(service, request, result.response))
      return result
    },
    metadata: handler.metadata,
    destroy: () => handler.destroy(),
    updateHttpClientConfig: (key, value) => handler.updateHttpClientConfig(key, value),
    httpHandlerConfigs: () => handler.httpHandlerConfigs(),
  }
}

/**
 * Returns the billed usage of one request. Server errors, deletes in S3, and failed requests to SQS
 * and KMS are free.
 */
export function countBilledRequest(
  service: string,
  { method, query, headers, body }: Pick<HttpRequest, 'method' | 'query' | 'headers' | 'body'>,
  response: Pick<HandlerResult['response'], 'statusCode' | 'headers'>,
): Partial<UsageCounts> {
  if (response.statusCode >= 500) return {}
  if (service === 'S3') {
    if (method === 'DELETE') return {}
    const isList = method === 'GET' && query?.['list-type'] !== undefined
    return isList || method === 'PUT' || method === 'POST' ? { puts: 1 } : { gets: 1 }
  }
  if (response.statusCode >= 400) return {}
  if (service === 'KMS') return { keyRequests: 1 }
  if (service !== 'SQS') return {}
  const operation = headers['x-amz-target']?.split('.').at(-1)
  // No deployment causes these requests: an idle installation reads queue sizes and receives too.
  if (operation === 'GetQueueAttributes' || operation === 'ReceiveMessage') return {}
  const requestBytes = typeof body === 'string' ? Buffer.byteLength(body) : 0
  return { messages: Math.max(1, Math.ceil(requestBytes / messageChunkBytes)) }
}

/** Billing unit of SQS requests, in bytes. */
const messageChunkBytes = 64 * 1024
