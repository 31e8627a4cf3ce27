/** What is asked of an address outside. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Of the whole call. Default `triggerLimits.outboundTimeoutMs`. */
  readonly timeoutMs?: number
  /** Of the answer. Default `triggerLimits.outboundBytesMax`. */
  readonly bytesMax?: number
  /** How often an answer may send on; 0 by default: then it is an answer like any other. */
  readonly redirectsMax?: number
}

/** The answer while its body is read. */
export interface OutboundResponse {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Throws OUTBOUND_FAILED when it breaks off, takes too long, or is larger than was asked for. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Calls to addresses that somebody else chose: none of them reaches a private network. */
export interface OutboundPort {
  /**
   * Asks and hands the answer to `take`; when that has ended the connection is closed, whatever was
   * read. Throws OUTBOUND_REFUSED for an address that must not be called, OUTBOUND_FAILED when the
   * call does not come to an answer. Nothing is tried twice.
   */
  readonly call: <T>(
    request: OutboundRequest,
    handle: (response: OutboundResponse) => Promise<T>,
  ) => Promise<T>
}
