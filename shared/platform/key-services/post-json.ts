import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'

/** A request with a JSON body. */
export interface JsonPost {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly isCompressed?: boolean
  /** The variables that name the proxy: HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Certificates of certificate authorities in PEM, which replace those of Node. */
  readonly certificates?: string | undefined
}

/** The response to a request. */
export interface JsonReply {
  readonly status: number
  /** Undefined: the body is not JSON. */
  readonly json: unknown
}

/** Time without activity after which a request fails. */
const requestTimeoutMs = 30_000

/**
 * Sends a request once. Rejects with an error of Node when there is no complete response. After 30
 * seconds without activity, rejects with an Error without a code.
 */
export function postJson(
  url: URL,
  { headers, body, isCompressed = false, env, certificates }: JsonPost,
): Promise<JsonReply> {
  const text = JSON.stringify(body)
  const bytes = isCompressed ? gzipSync(text) : Buffer.from(text)
  const agentOptions = {
    proxyEnv: { ...env },
    ...(certificates === undefined ? {} : { ca: certificates }),
  }
  const options = {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      'content-length': String(bytes.length),
    },
    timeout: requestTimeoutMs,
    agent: url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error('the server does not respond')))
    request.once('response', response => {
      readText(response).then(
        reply => resolve({ status: response.statusCode ?? 0, json: parseJson(reply) }),
        reject,
      )
    })
    request.end(bytes)
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
