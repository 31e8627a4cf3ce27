import { installLimits } from '../../config/install-limits.ts'
import { limits } from '../../config/limits.ts'
import { createError, hasCode, messageOf } from '../../errors/error.ts'
import type { OutboundPort, OutboundResponse } from '../../ports/outbound.ts'

/**
 * Creates a `fetch` for downloads that calls allowed addresses only, also after redirects.
 * `authorization` is sent to `authorizedOrigin` and to no other origin. A response is read
 * completely before it is returned. The created function throws OUTBOUND_REFUSED, PLUGIN_TOO_LARGE,
 * and `TypeError` when the server does not respond.
 */
export function createOutboundFetch(
  outbound: OutboundPort,
  authorizedOrigin?: { readonly origin: string; readonly authorization: string },
): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const headers = Object.fromEntries(new Headers(init?.headers))
    if (authorizedOrigin !== undefined && URL.parse(url)?.origin === authorizedOrigin.origin)
      headers['authorization'] = authorizedOrigin.authorization
    const request = {
      ...({ method: 'GET', url, headers } as const),
      redirectsMax: init?.redirect === 'manual' ? 0 : installLimits.redirectsMax,
      bytesMax: limits.archiveBytesMax,
      timeoutMs: installLimits.platformDownloadMs,
    }
    try {
      return await outbound.call(request, response => readResponse(response, url))
    } catch (thrown) {
      if (!hasCode(thrown, 'OUTBOUND_FAILED')) throw thrown
      throw new TypeError(messageOf(thrown), { cause: thrown })
    }
  }
}

async function readResponse(
  { status, headers, body }: OutboundResponse,
  url: string,
): Promise<Response> {
  const host = URL.parse(url)?.host ?? ''
  requireSize(Number(headers.get('content-length') ?? '0'), host)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  // The constructor of `Response` accepts no body for these statuses.
  const isEmpty = [101, 204, 205, 304].includes(status)
  return new Response(isEmpty ? null : bytes, {
    status,
    headers: [...headers] as [string, string][],
  })
}

function requireSize(sizeBytes: number, host: string): void {
  if (sizeBytes > limits.archiveBytesMax)
    throw createError(
      'PLUGIN_TOO_LARGE',
      `${host} offers a file of ${sizeBytes} bytes; the limit is ${limits.archiveBytesMax}`,
    )
}
