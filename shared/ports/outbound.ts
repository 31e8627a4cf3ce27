/** A request to an external address. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Timeout of the whole call. Default `triggerLimits.outboundTimeoutMs`. */
  readonly timeoutMs?: number
  /** Maximum size of the response. Default `triggerLimits.outboundBytesMax`. */
  readonly bytesMax?: number
  /** Maximum number of redirects. With the default 0, a redirect is returned as the response. */
  readonly redirectsMax?: number
}

/** The response while its body is read. */
export interface OutboundResponse {
  readonly status: number
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  /** Throws OUTBOUND_FAILED when the body breaks off, takes too long or exceeds `bytesMax`. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Calls to external addresses that users configured. No call reaches a private network, unless the
 * platform allows that network.
 */
export interface OutboundPort {
  /**
   * Sends a request and passes the response to `handleResponse`. When that function has ended, the
   * connection is closed, even if the body was not read completely. Throws OUTBOUND_REFUSED for a
   * forbidden address, and OUTBOUND_FAILED without a response. There are no retries.
   */
  readonly call: <T>(
    request: OutboundRequest,
    handleResponse: (response: OutboundResponse) => Promise<T>,
  ) => Promise<T>
}
