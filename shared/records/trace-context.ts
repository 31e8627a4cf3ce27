/** The identity of a span in W3C Trace Context, by which processes join one trace. */
export interface SpanContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

const traceParentPattern = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/**
 * Parses a `traceparent` of W3C Trace Context. Returns undefined for another text, and for ids of
 * zeros.
 */
export function parseTraceParent(text: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = traceParentPattern.exec(text.trim()) ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Formats the identity of a span as a `traceparent`. */
export function formatTraceParent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
