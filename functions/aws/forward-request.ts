import * as z from 'zod'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type {
  ForwardedRequest,
  ForwardRequest,
} from '../../shared/pulumi-service/delegated-routes.ts'
import { invokeLambda, type LambdaInvoker } from '../../shared/platform/aws/lambda-client.ts'

/** The headers of a request that its answer may depend on. */
const forwardedHeaders = ['authorization', 'content-type', 'content-encoding', 'accept'] as const

/** The bytes between the head and the body of a streamed response. */
const divider = Buffer.alloc(8)

const headForm = z.object({
  statusCode: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()).default({}),
})

/**
 * Creates the function that sends a request of a client to the function URL handler of another
 * function. The other function answers as if the client had called it directly, and its audit log
 * has the address of the client. Source: Lambda's page on response streaming.
 */
export function createRequestForwarder({
  lambda,
  functionArn,
}: {
  readonly lambda: LambdaInvoker
  readonly functionArn: string
}): ForwardRequest {
  return async forwarded => {
    try {
      const outcome = await invokeLambda(lambda, { functionArn, payload: urlEventOf(forwarded) })
      if (outcome.kind === 'failed') throw new Error(outcome.reason)
      return parseStreamedResponse(outcome.payload)
    } catch (cause) {
      throw createError('API_FUNCTION_UNREACHABLE', `the API did not answer: ${messageOf(cause)}`, {
        cause,
      })
    }
  }
}

/** Returns a request as Lambda passes it to a function URL, with the fields in use. */
function urlEventOf({ request, body, clientAddress }: ForwardedRequest): object {
  const { pathname, search } = new URL(request.url)
  const headers = forwardedHeaders.flatMap(name => {
    const value = request.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  return {
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    ...(body.length === 0 ? {} : { body: Buffer.from(body).toString('base64') }),
    isBase64Encoded: body.length > 0,
    requestContext: { http: { method: request.method, sourceIp: clientAddress } },
  }
}

/** Parses the payload of a streamed response: its head as JSON, eight zero bytes, and its body. */
function parseStreamedResponse(payload: Uint8Array): Response {
  const bytes = Buffer.from(payload)
  const dividerIndex = bytes.indexOf(divider)
  if (dividerIndex < 0) throw new Error('its response has no head')
  const head = headForm.parse(JSON.parse(bytes.toString('utf8', 0, dividerIndex)))
  const { statusCode: status, headers } = head
  const body = bytes.subarray(dividerIndex + divider.length)
  return new Response(body.length === 0 ? null : body, { status, headers })
}
